//! Tables of text.

use std::array;

/// Rows with their columns under each other.
pub(crate) fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let widths: [usize; N] =
        array::from_fn(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0));
    let mut table = String::new();
    for row in rows {
        for (cell, width) in row.iter().zip(widths) {
            table.push_str(&format!("{cell:<width$}  "));
        }
        table.truncate(table.trim_end().len());
        table.push('\n');
    }
    table
}
