/** What a call may do to the world, from harmless to dangerous. The host decides it; a server's word can only raise it. */
export type Effect = 'local-read' | 'remote-read' | 'write' | 'destructive' | 'exec'

/** Such a call changes nothing, so its record need not be on disk before it happens, only in the file. */
export function isRead(effect: Effect): boolean {
  return effect === 'local-read' || effect === 'remote-read'
}
