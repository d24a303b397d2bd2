/**
 * Hash of the fields of a definition that decide how a server is launched. With the same hash, no restart is needed.
 */
import type { Json } from '../../text/json.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import { hashOf } from './manifest.ts'

export function launchHashOf(definition: ServerDefinition): string {
  const { transport, command, args, url, socketPath, httpPath, dangerouslyAllowHttp } = definition
  const { env, auth, allowedDomains, sandbox, config, version } = definition
  const parts = { transport, command, args, url, socketPath, httpPath, dangerouslyAllowHttp }
  const whole = { ...parts, env, auth, allowedDomains, sandbox, config, version }
  return hashOf(JSON.parse(JSON.stringify(whole)) as Json)
}
