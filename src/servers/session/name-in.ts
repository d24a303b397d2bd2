/** The name of a server in a notice: a project's server under the name that its owner can type, not its id. */
import type { ServerId } from '../../kernel/server-id.ts'

export function nameIn(server: ServerId): string {
  return server.replace(/~.*$/, '')
}
