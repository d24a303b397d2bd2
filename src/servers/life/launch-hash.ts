/**
 * Hashes of a definition. `launchHashOf`: the fields that decide how a server is launched; with the same hash, no
 * restart is needed. `programHashOf`: only those that say which program answers, whatever it may reach.
 */
import type { Json } from '../../text/json.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import { hashOf } from './pin-hash.ts'

export function launchHashOf(definition: ServerDefinition): string {
  const { transport, command, args, url, socketPath, httpPath, dangerouslyAllowHttp } = definition
  const { env, auth, sealed, allowedDomains, sandbox, config, version } = definition
  const parts = { transport, command, args, url, socketPath, httpPath, dangerouslyAllowHttp }
  const whole = { ...parts, env, auth, sealed, allowedDomains, sandbox, config, version }
  return hashOf(JSON.parse(JSON.stringify(whole)) as Json)
}

export function programHashOf(definition: ServerDefinition): string {
  const { transport, command, args, url, socketPath, httpPath, version } = definition
  const whole = { transport, command, args, url, socketPath, httpPath, version }
  return hashOf(JSON.parse(JSON.stringify(whole)) as Json)
}
