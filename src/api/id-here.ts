/** Which server a name means in a folder. */
import type { Definitions, Servers } from '../kernel/ports.ts'
import { parseServerId, type ServerId } from '../kernel/server-id.ts'
import type { ServerHere } from './fields.ts'

interface HereDeps {
  readonly definitions: Pick<Definitions, 'findInProject'>
  readonly servers: Pick<Servers, 'admit'>
}

/** The id of the server that this name means here: a trusted project's in its folder, else the owner's own. */
export async function idHere(
  { definitions, servers }: HereDeps,
  { server, workingFolder }: ServerHere,
): Promise<ServerId> {
  const id = parseServerId(server)
  const found = workingFolder && (await definitions.findInProject(workingFolder, id))
  if (!found) return id
  await servers.admit(found)
  return found.id
}
