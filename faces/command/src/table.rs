//! Tables of text.

/// Rows with their columns under each other; all rows have as many cells.
pub(crate) fn aligned(rows: &[Vec<String>]) -> String {
    let mut table = String::new();
    for row in rows {
        for (column, cell) in row.iter().enumerate() {
            let width = rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
            table.push_str(cell);
            table.extend(std::iter::repeat_n(' ', width - cell.len() + 2));
        }
        table.truncate(table.trim_end().len());
        table.push('\n');
    }
    table
}
