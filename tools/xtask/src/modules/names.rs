//! The names that a file imports, hands on and defines.

use std::collections::BTreeMap;

use proc_macro2::{TokenStream, TokenTree};
use syn::punctuated::Punctuated;
use syn::visit::Visit;

/// A module by its path below the crate, such as `["engine", "words"]`. The crate itself has an empty one.
pub(super) type Module = Vec<String>;

/// Names of a file.
#[derive(Debug, Default)]
pub(super) struct File {
    /// Paths that are imported or written out, from the crate.
    pub(super) imports: Vec<Module>,
    /// Names that the file hands on: its own name for an item, and where the item comes from, if from this crate.
    pub(super) handed_on: BTreeMap<String, Option<Module>>,
    /// Names of the types and traits that the file defines.
    pub(super) types: Vec<String>,
}

impl File {
    /// Reads the names of a file, which is one of the sources.
    pub(super) fn of(module: &Module, sources: &BTreeMap<Module, String>, parsed: &syn::File) -> Self {
        let mut reader = Reader { module, sources, file: Self::default() };
        reader.visit_file(parsed);
        reader.file
    }
}

/// Collects the paths of a file.
struct Reader<'r> {
    module: &'r Module,
    sources: &'r BTreeMap<Module, String>,
    file: File,
}

impl Reader<'_> {
    /// A path as written, from the crate; none if it leads out of the crate or stays in the file.
    fn absolute(&self, path: &[String]) -> Option<Module> {
        let (first, rest) = path.split_first()?;
        let mut from = self.module.clone();
        match first.as_str() {
            "crate" => return Some(rest.to_vec()),
            "self" => {}
            "super" => {
                from.pop();
            }
            child => {
                from.push(child.to_owned());
                if !self.sources.contains_key(&from) {
                    return None;
                }
            }
        }
        let mut rest = rest;
        while let Some((_, after)) = rest.split_first().filter(|(first, _)| *first == "super") {
            from.pop();
            rest = after;
        }
        from.extend_from_slice(rest);
        Some(from)
    }

    fn import(&mut self, path: &[String]) {
        if let Some(path) = self.absolute(path) {
            self.file.imports.push(path);
        }
    }

    fn tree(&mut self, tree: &syn::UseTree, path: &mut Vec<String>, handed_on: bool) {
        match tree {
            syn::UseTree::Path(part) => {
                path.push(part.ident.to_string());
                self.tree(&part.tree, path, handed_on);
                path.pop();
            }
            syn::UseTree::Name(item) => self.item(&item.ident, &item.ident, path, handed_on),
            syn::UseTree::Rename(item) => self.item(&item.ident, &item.rename, path, handed_on),
            syn::UseTree::Glob(_) => self.import(path),
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|item| self.tree(item, path, handed_on))
            }
        }
    }

    fn item(&mut self, item: &syn::Ident, called: &syn::Ident, path: &mut Vec<String>, handed_on: bool) {
        let itself = item == "self";
        if !itself {
            path.push(item.to_string());
        }
        if handed_on {
            self.file.handed_on.insert(called.to_string(), self.absolute(path));
        } else {
            self.import(path);
        }
        if !itself {
            path.pop();
        }
    }

    /// A path in an expression or in a macro, where `crate` alone is a visibility.
    fn written_out(&mut self, path: &[String]) {
        if path.len() > 1 {
            self.import(path);
        }
    }

    /// Paths in the text of a macro, which is not parsed: those that begin with `crate` or `super`.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        for token in tokens {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == ':' => continue,
                TokenTree::Ident(ident) if path.is_empty() && ident != "crate" && ident != "super" => {}
                TokenTree::Ident(ident) => {
                    path.push(ident.to_string());
                    continue;
                }
                TokenTree::Group(group) => self.tokens(group.stream()),
                _ => {}
            }
            self.written_out(&std::mem::take(&mut path));
        }
        self.written_out(&path);
    }
}

/// True if a condition holds in tests alone: `test`, or `all` of some that have it among them.
fn wants_test(condition: &syn::Meta) -> bool {
    match condition {
        syn::Meta::List(list) if list.path.is_ident("all") => {
            let parts = Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated;
            list.parse_args_with(parts).is_ok_and(|parts| parts.iter().any(wants_test))
        }
        other => other.path().is_ident("test"),
    }
}

fn for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Meta>().is_ok_and(|condition| wants_test(&condition))
    })
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes = match item {
            syn::Item::Mod(item) => &item.attrs,
            syn::Item::Use(item) => &item.attrs,
            syn::Item::Fn(item) => &item.attrs,
            _ => &Vec::new(),
        };
        let defined = match item {
            syn::Item::Struct(item) => Some(&item.ident),
            syn::Item::Enum(item) => Some(&item.ident),
            syn::Item::Trait(item) => Some(&item.ident),
            syn::Item::Type(item) => Some(&item.ident),
            _ => None,
        };
        self.file.types.extend(defined.map(ToString::to_string));
        if !for_tests(attributes) {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let handed_on = !matches!(item.vis, syn::Visibility::Inherited);
        self.tree(&item.tree, &mut Vec::new(), handed_on);
    }

    /// Visibility such as `pub(in crate::packets)` imports nothing.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        self.written_out(&parts);
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.visit_path(&call.path);
        self.tokens(call.tokens.clone());
    }
}
