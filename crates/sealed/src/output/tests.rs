use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::place::split;
#[cfg(any(target_os = "linux", target_os = "android"))]
use super::temporary::is_temporary_name;
use super::temporary::random_name;
use super::{NewFile, OutputError, Place, leftovers};

fn names(folder: &Path) -> Vec<String> {
    let entries =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = entries.collect();
    names.sort();
    names
}

/// Runs `work` in empty folders, with a file that has a name from the beginning and with one that has none.
fn each_way(work: impl Fn(&Path, bool, fn(Place) -> Result<NewFile, OutputError>)) {
    let ways: [fn(Place) -> Result<NewFile, OutputError>; 2] =
        [Place::create, |place| NewFile::with_name(Arc::new(place))];
    for create in ways {
        for replace in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            work(folder.path(), replace, create);
        }
    }
}

#[test]
fn paths_are_split() {
    let split =
        |path| split(Path::new(path)).map(|(folder, name)| (folder.to_string_lossy().into_owned(), name));
    for (path, folder, name) in
        [("a", ".", "a"), ("./a", ".", "a"), ("/a", "/", "a"), ("b/../a", "b/..", "a")]
    {
        assert_eq!(split(path), Some((folder.into(), name.into())), "{path}");
    }
    for path in ["", ".", "..", "/", "a/", "a/.", "a/..", "a//"] {
        assert_eq!(split(path), None, "{path}");
    }
}

#[test]
fn a_file_is_complete_or_not_there() {
    each_way(|folder, replace, create| {
        let path = folder.join("out");
        let dropped = create(Place::open(&path, replace).unwrap()).unwrap();
        dropped.file().write_all(b"half").unwrap();
        drop(dropped);
        assert_eq!(names(folder), [""; 0]);

        let removed = create(Place::open(&path, replace).unwrap()).unwrap();
        removed.remover().remove();
        // Old versions of Windows, and Wine, show a name that was removed until the file is closed.
        let open = (!cfg!(windows)).then_some(removed);
        assert_eq!(names(folder), [""; 0]);
        drop(open);

        let file = create(Place::open(&path, replace).unwrap()).unwrap();
        file.file().write_all(b"all").unwrap();
        assert!(!path.exists());
        let published = file.publish().unwrap();
        assert_eq!((names(folder), fs::read(&path).unwrap()), (vec!["out".to_owned()], b"all".to_vec()));
        published.remover().remove();
        assert_eq!(names(folder), [""; 0]);
    });
}

#[test]
fn what_is_there_is_replaced_if_it_may_be() {
    each_way(|folder, replace, create| {
        let path = folder.join("out");
        let file = create(Place::open(&path, replace).unwrap()).unwrap();
        file.file().write_all(b"new").unwrap();
        // It comes to be there in the meantime.
        fs::write(&path, b"old").unwrap();
        match file.publish() {
            Ok(_) if replace => assert_eq!(fs::read(&path).unwrap(), b"new"),
            Err(OutputError::Exists) if !replace => assert_eq!(fs::read(&path).unwrap(), b"old"),
            other => panic!("{replace}: {other:?}"),
        }
        assert_eq!(names(folder), ["out"]);
        let again = Place::open(&path, replace);
        assert_eq!(again.is_ok(), replace, "{again:?}");
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_goes_away_takes_nothing_along() {
    each_way(|folder, replace, create| {
        let (inner, other) = (folder.join("inner"), folder.join("other"));
        for exchanged in [false, true] {
            fs::create_dir(&inner).unwrap();
            let file = create(Place::open(&inner.join("out"), replace).unwrap()).unwrap();
            fs::rename(&inner, &other).unwrap();
            if exchanged {
                fs::create_dir(&inner).unwrap();
            }
            let moved = file.publish();
            assert!(matches!(moved, Err(OutputError::FolderMoved)), "{moved:?}");
            assert_eq!(names(&other), [""; 0]);
            let _ = fs::remove_dir(&inner);
            fs::remove_dir(&other).unwrap();
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn files_are_left_over_if_nobody_works_on_them() {
    let folder = tempfile::tempdir().unwrap();
    let place = || Arc::new(Place::open(&folder.path().join("out"), false).unwrap());
    let file = NewFile::with_name(place()).unwrap();
    let [name] = &names(folder.path())[..] else { panic!("one file") };
    assert!(is_temporary_name(name.as_ref()), "{name}");
    // By this process, which does not see its own lock.
    assert_eq!(leftovers(folder.path()), [""; 0].map(PathBuf::from));
    for other in
        [".abreast-0123456789ab.new", ".abreast-x-0123456789ab.tmp", ".abreast-0123456789a.tmp", "out"]
    {
        fs::write(folder.path().join(other), b"").unwrap();
    }
    std::os::unix::fs::symlink("out", folder.path().join(".abreast-000000000000.tmp")).unwrap();
    assert_eq!(leftovers(folder.path()), [""; 0].map(PathBuf::from));
    let left = folder.path().join(".abreast-0123456789ab.tmp");
    fs::write(&left, b"").unwrap();
    assert_eq!(leftovers(folder.path()), [left]);
    drop(file);
}

/// Names are those of no other run.
#[test]
fn random_names_differ() {
    let made: std::collections::BTreeSet<_> = (0..1000).map(|_| random_name("tmp").unwrap()).collect();
    assert_eq!(made.len(), 1000);
}
