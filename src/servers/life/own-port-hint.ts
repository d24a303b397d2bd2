/** Recognises a call that failed because its server may not connect to ports of its own, and says how to change that. Pure. */
import type { ServerDefinition } from '../../kernel/server-definition.ts'

const REFUSED = /\bEACCES\b|\bpermission denied\b/i
const OWN_ADDRESS = /\b127\.0\.0\.1\b|\blocalhost\b|::1\b/i

/** `reason` is the server's own text: it can bring up the hint, and the hint says no more than the definition does. */
export function ownPortHint(
  { id, sandbox }: Pick<ServerDefinition, 'id' | 'sandbox'>,
  reason: string,
): string | undefined {
  const mayConnect = sandbox.ownPorts === true || sandbox.startsBrowser === true
  if (mayConnect || sandbox.mode !== 'bwrap') return undefined
  if (!REFUSED.test(reason) || !OWN_ADDRESS.test(reason)) return undefined
  return `If ${id} connects to a port of its own, allow it: \`own_ports = true\` under [sandbox], by \`cordon mcp edit ${id}\``
}
