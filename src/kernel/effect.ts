/** The effect of a call, from harmless to dangerous. The host decides it; a server's hints can only raise it. */
export const EFFECTS = ['local-read', 'remote-read', 'write', 'destructive', 'exec'] as const
export type Effect = (typeof EFFECTS)[number]

/** A read changes nothing, so its audit record must be written before the call, but not yet synced to disk. */
export function isRead(effect: Effect): boolean {
  return effect === 'local-read' || effect === 'remote-read'
}
