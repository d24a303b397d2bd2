/** Whether an installed package may be removed: no definition starts it, and nothing else keeps it. Pure. */
export function isUnused(installed: {
  readonly usedBy: readonly string[]
  readonly kept?: string
}): boolean {
  return installed.usedBy.length === 0 && installed.kept === undefined
}
