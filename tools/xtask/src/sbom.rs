//! Software bills of materials, in the JSON form of CycloneDX 1.5: which crates are in the command, in libabreast, in
//! the provider for OpenSSL and in the Python module, with versions, licences and checksums.
//!
//! The form is one JSON object, and all that goes in is what `cargo metadata` and `Cargo.lock` say; cargo-cyclonedx would be
//! two hundred crates to compile for that. Nothing in a bill depends on the time or the machine, so it is the same bytes
//! for the same sources. A bill has the crates that are compiled for the features of the whole workspace, as cargo
//! unites them in the build that is shipped: some of them may leave no code in a library.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};

use crate::files;
use crate::outcome::{Outcome, Stop};
use crate::process::{capture, cargo};
use crate::workspace::{Workspace, list, text};

/// The shipped products: the package, the name of the bill, and the kind of component.
const SHIPPED: [(&str, &str, &str); 4] = [
    ("abreast-cli", "abreast", "application"),
    ("abreast-capi", "libabreast", "library"),
    ("abreast-ossl-provider", "abreast-ossl-provider", "library"),
    ("abreast-python", "abreast-python", "library"),
];

/// Writes the bills into a folder, and checks that no crate is missing.
pub(crate) fn write(workspace: &Workspace, folder: &Path) -> Outcome {
    let metadata = metadata(&[&workspace.host])?;
    let checksums = checksums()?;
    files::make_folder(folder)?;
    for (package, name, kind) in SHIPPED {
        let bill = bill(&metadata, &checksums, package, name, kind)?;
        let path = folder.join(format!("{name}.cdx.json"));
        let text = serde_json::to_string_pretty(&bill).map_err(|error| error.to_string())?;
        files::write(&path, format!("{text}\n"))?;
        let written = files::read(&path)?;
        let missing = missing(&written, &tree(workspace, package)?)?;
        if !missing.is_empty() {
            return Err(Stop::Failed(format!("{} does not name {}", path.display(), missing.join(", "))));
        }
    }
    Ok(())
}

/// The packages of the workspace and of all that it depends on, on these platforms.
pub(crate) fn metadata(platforms: &[&str]) -> Result<Value, Stop> {
    let mut command = cargo(&["metadata", "--format-version=1", "--locked"]);
    let output =
        capture(command.args(platforms.iter().flat_map(|platform| ["--filter-platform", platform])))?;
    serde_json::from_str(&output).map_err(|error| Stop::Failed(format!("cargo metadata: {error}")))
}

/// The crates that cargo compiles into a package, by another way than the one of the bill: each as `name version`.
fn tree(workspace: &Workspace, package: &str) -> Result<BTreeSet<String>, Stop> {
    let mut command =
        cargo(&["tree", "--locked", "--edges=normal", "--prefix=none", "--format={p}", "--package"]);
    let output = capture(command.args([package, "--target", &workspace.host]))?;
    let crates = output.lines().filter_map(|line| {
        let (name, rest) = line.split_once(" v")?;
        Some(format!("{name} {}", rest.split(' ').next().unwrap_or_default()))
    });
    let crates: BTreeSet<_> = crates.collect();
    if crates.is_empty() {
        Err(Stop::Failed(format!("cargo tree names no crate of {package}")))
    } else {
        Ok(crates)
    }
}

/// Returns the crates that a bill does not name, each as `name version`.
fn missing(bill: &str, crates: &BTreeSet<String>) -> Result<Vec<String>, Stop> {
    let bill: Value = serde_json::from_str(bill).map_err(|error| format!("a bill of materials: {error}"))?;
    let named = list(&bill["components"]).chain([&bill["metadata"]["component"]]);
    let named: BTreeSet<_> =
        named.map(|it| format!("{} {}", text(&it["name"]), text(&it["version"]))).collect();
    Ok(crates.difference(&named).cloned().collect())
}

/// The bill of a package: it, what it depends on, and who depends on whom.
fn bill(
    metadata: &Value,
    checksums: &BTreeMap<String, String>,
    package: &str,
    name: &str,
    kind: &str,
) -> Result<Value, Stop> {
    let crates = compiled(metadata, package)?;
    let nodes = nodes(metadata);
    let main_id = crates.iter().find(|(_, it)| text(&it["name"]) == package).map(|(id, _)| id.clone());
    let root = main_id.ok_or_else(|| format!("cargo metadata has no {package}"))?;
    let component = |id: &String| component(crates[id], checksums);
    let mut main = component(&root);
    main["type"] = json!(kind);
    let edges = crates.iter().map(|(id, it)| {
        let on: Vec<_> = direct(&nodes, id).iter().map(|id| purl(crates[id])).collect();
        json!({ "ref": purl(it), "dependsOn": on })
    });
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": main, "properties": [{ "name": "abreast:file", "value": name }] },
        "components": crates.keys().filter(|id| **id != root).map(component).collect::<Vec<_>>(),
        "dependencies": edges.collect::<Vec<_>>(),
    }))
}

/// Returns the crates that are compiled into a package, it included, by their ids.
pub(crate) fn compiled<'m>(metadata: &'m Value, package: &str) -> Result<BTreeMap<String, &'m Value>, Stop> {
    let packages: BTreeMap<String, &Value> =
        list(&metadata["packages"]).map(|package| (text(&package["id"]), package)).collect();
    let nodes = nodes(metadata);
    let root = packages.iter().find(|(_, it)| text(&it["name"]) == package).map(|(id, _)| id.clone());
    let mut left = vec![root.ok_or_else(|| format!("cargo metadata has no {package}"))?];
    let mut reached = BTreeMap::new();
    while let Some(id) = left.pop() {
        if reached.insert(id.clone(), packages[&id]).is_none() {
            left.extend(direct(&nodes, &id));
        }
    }
    Ok(reached)
}

/// Returns the dependencies of each package, by its id.
fn nodes(metadata: &Value) -> BTreeMap<String, &Value> {
    list(&metadata["resolve"]["nodes"]).map(|node| (text(&node["id"]), node)).collect()
}

/// Returns the ids of the crates that a package uses itself: those compiled into it, not those of its build script and
/// tests.
fn direct(nodes: &BTreeMap<String, &Value>, id: &str) -> Vec<String> {
    let edges = nodes.get(id).map(|node| &node["deps"]).into_iter().flat_map(list);
    let normal = edges.filter(|edge| list(&edge["dep_kinds"]).any(|kind| kind["kind"].is_null()));
    normal.map(|edge| text(&edge["pkg"])).collect()
}

fn component(package: &Value, checksums: &BTreeMap<String, String>) -> Value {
    let (name, version) = (text(&package["name"]), text(&package["version"]));
    let mut component = json!({
        "type": "library",
        "bom-ref": purl(package),
        "name": name,
        "version": version,
        "purl": purl(package),
    });
    if let Some(licence) = package["license"].as_str() {
        // In older crates a slash says `OR`, which SPDX does not have.
        component["licenses"] = json!([{ "expression": licence.replace('/', " OR ") }]);
    }
    if let Some(sum) = checksums.get(&format!("{name} {version}")) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
    }
    if let Some(repository) = package["repository"].as_str() {
        component["externalReferences"] = json!([{ "type": "vcs", "url": repository }]);
    }
    component
}

/// The package's address in the form that tools share.
fn purl(package: &Value) -> String {
    format!("pkg:cargo/{}@{}", text(&package["name"]), text(&package["version"]))
}

/// The SHA-256 of each crate's archive, by `name version`, from `Cargo.lock`.
fn checksums() -> Result<BTreeMap<String, String>, Stop> {
    let lock = files::read("Cargo.lock")?;
    let entry = |block: &str| {
        let field = |name: &str| {
            let value = block.lines().find_map(|line| line.strip_prefix(&format!("{name} = \"")))?;
            Some(value.trim_end_matches('"').to_owned())
        };
        Some((format!("{} {}", field("name")?, field("version")?), field("checksum")?))
    };
    Ok(lock.split("[[package]]").filter_map(entry).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata() -> Value {
        let package =
            |name: &str| json!({ "id": name, "name": name, "version": "1.0.0", "license": "MIT/Apache-2.0" });
        let packages = ["command", "used", "deeper", "test"].map(package);
        let edge = |on: &str, kind: Value| json!({ "pkg": on, "dep_kinds": [{ "kind": kind }] });
        json!({
            "packages": packages,
            "resolve": { "nodes": [
                { "id": "command", "deps": [edge("used", Value::Null), edge("test", json!("dev"))] },
                { "id": "used", "deps": [edge("deeper", Value::Null)] },
                { "id": "deeper", "deps": [] },
                { "id": "test", "deps": [] },
            ] },
        })
    }

    #[test]
    fn a_bill_has_what_is_compiled_in() {
        let sums = BTreeMap::from([("used 1.0.0".to_owned(), "00ff".to_owned())]);
        let bill = bill(&metadata(), &sums, "command", "abreast", "application").unwrap();
        let names: Vec<_> = list(&bill["components"]).map(|it| text(&it["name"])).collect();
        assert_eq!(names, ["deeper", "used"]);
        assert_eq!(bill["components"][1]["hashes"][0]["content"], "00ff");
        assert_eq!(bill["components"][1]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(bill["metadata"]["component"]["type"], "application");
        assert_eq!(bill["dependencies"][0]["dependsOn"], json!(["pkg:cargo/used@1.0.0"]));
        let crates = |names: &[&str]| names.iter().map(|name| format!("{name} 1.0.0")).collect();
        let bill = bill.to_string();
        assert!(missing(&bill, &crates(&["command", "used", "deeper"])).unwrap().is_empty());
        assert_eq!(missing(&bill, &crates(&["used", "other"])).unwrap(), ["other 1.0.0"]);
    }
}
