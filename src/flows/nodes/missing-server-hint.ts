/** Tells whether a node that is not known belongs to a server of which no tool is known. Pure. */
import { closestNames } from '../../text/closest-names.ts'
import type { NodeIndex } from './node-index.ts'

/** The command that mends it; undefined if the name is of no server, or rather a slip in the name of a known one. */
export function missingServerHint(name: string, { nodes }: NodeIndex): string | undefined {
  const server = /^mcp[-_. ]([a-z0-9]{1,40})/i.exec(name)?.[1] ?? /^([\w-]{1,40})\./.exec(name)?.[1]
  if (server === undefined) return undefined
  const known = [...new Set(nodes.flatMap(({ descriptor: { pin } }) => pin?.tool.server ?? []))]
  const bare = name.toLowerCase().replace(/^mcp[-_. ]/, '')
  const isKnown = known.some((one) => bare.startsWith(one.toLowerCase()))
  if (isKnown || closestNames(server, known).length > 0) return undefined
  const slug = server.toLowerCase()
  return `Run \`cordon connect ${slug}\`: no tool of ${slug} is known; if it is connected, \`cordon mcp start ${slug}\``
}
