//! Tables of text.

/// Rows with their columns under each other.
pub(crate) fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.len().max(*width);
        }
    }
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
