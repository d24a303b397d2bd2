/** Rows as lines whose columns are as wide as their widest cell. Pure; cells must be single lines. */
export function alignColumns(
  rows: readonly (readonly string[])[],
  widthOf: (cell: string) => number = (cell) => cell.length,
): readonly string[] {
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell))
    })
  }
  return rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)))
      .join('  ')
      .trimEnd(),
  )
}
