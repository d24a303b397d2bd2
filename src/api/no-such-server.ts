/** The problem of a server that is not there, with the name that may have been meant. */
import { CordonError } from '../kernel/error.ts'
import type { LoadedDefinition } from '../kernel/server-definition.ts'
import { closestNames } from '../text/closest-names.ts'

export function noSuchServer(server: string, known: readonly LoadedDefinition[]): CordonError {
  const [near] = closestNames(
    server,
    known.map(({ definition }) => definition.id),
  )
  const all = 'Run `cordon mcp list` to see the servers there are'
  const hint = near === undefined ? all : `Did you mean ${JSON.stringify(near)}? ${all}`
  return new CordonError(
    'kernel.no-server',
    { exit: 2, hint },
    `Cannot find server ${JSON.stringify(server)}`,
  )
}
