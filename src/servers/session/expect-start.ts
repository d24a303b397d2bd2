/** How a server will be launched, as far as it can be known without its secrets. */
import type { ExpectedLaunch, Sandbox } from '../../kernel/sandbox-port.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import { namesIn, tunnelsIn } from '../../kernel/tunnel.ts'
import { fillInSettings } from './launch-settings.ts'

/** Does nothing for a server that is not Cordon's to start. */
export function expectStart(
  sandbox: Pick<Sandbox, 'expect'>,
  definition: ServerDefinition,
  keepMs: number,
): void {
  if (definition.transport !== 'stdio') return
  sandbox.expect(expectedLaunch(definition, fillInSettings(definition).args), keepMs)
}

export function expectedLaunch(
  definition: ServerDefinition,
  args: readonly string[],
): ExpectedLaunch {
  return {
    server: definition.id,
    command: definition.command ?? '',
    args,
    settings: definition.sandbox,
    networked: namesIn(definition.allowedDomains).length > 0,
    tunnels: tunnelsIn(definition.allowedDomains),
  }
}
