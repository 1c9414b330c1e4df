//! The types that the package declares: every class of the module is in its stubs, in whose absence type checkers know
//! nothing of it. That the signatures are right is checked in Python, against the module.

use std::fs;

#[test]
fn every_class_is_in_the_stubs() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    let stubs = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/abreast/_abreast.pyi")).unwrap();
    let mut classes = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let source = fs::read_to_string(entry.unwrap().path()).unwrap();
        for rest in source.split("#[pyclass(").skip(1) {
            let name = rest.split("name = \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
            let declared = [":", "("].iter().any(|end| stubs.contains(&format!("class {name}{end}")));
            assert!(declared, "{name} is not in the stubs");
            classes += 1;
        }
    }
    assert!(classes > 20, "{classes} classes");
}
