/**
 * The version of a server, and a newer one if the registry has it. Taking it comes after a look at its differences.
 */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { ServerDetails } from '../../../api/servers.ts'
import type { PackageUpdate } from '../../../api/updates.ts'
import { ask } from '../ask.ts'
import { Card, Foreign } from '../parts/basics.tsx'
import { attempt } from '../toasts.ts'
import { UpgradeView } from './upgrade-view.tsx'

interface VersionProps {
  readonly details: ServerDetails
  readonly onUpgraded: () => void
}

export function VersionView({ details, onUpgraded }: VersionProps): JSX.Element {
  const { server, version, state } = details
  const found = useSignal<PackageUpdate | 'no package' | undefined>(undefined)
  const isLooking = useSignal(false)
  const look = async (): Promise<void> => {
    isLooking.value = true
    await attempt(async () => {
      const { servers } = await ask('mcp.updates', { server })
      found.value = servers[0] ?? 'no package'
    })
    isLooking.value = false
  }
  return (
    <Card title="Version">
      <p>
        {version === undefined ? 'No version is pinned' : `Pinned at ${version}`}
        {state.reportedVersion !== undefined && (
          <>
            ; it calls itself <Foreign text={state.reportedVersion} />
          </>
        )}
        {state.protocolVersion !== undefined && `; speaks MCP ${state.protocolVersion}`}.
      </p>
      {state.versionDrift && (
        <p class="failure">It reports another version than the one that is pinned.</p>
      )}
      <p>
        <button type="button" class="quiet" disabled={isLooking.value} onClick={() => void look()}>
          {isLooking.value ? 'Asking the registry…' : 'Look for a newer version'}
        </button>
      </p>
      {found.value === 'no package' && <p class="muted">It runs no package of a registry.</p>}
      {typeof found.value === 'object' && <Found update={found.value} onUpgraded={onUpgraded} />}
    </Card>
  )
}

interface FoundProps {
  readonly update: PackageUpdate
  readonly onUpgraded: () => void
}

function Found({ update, onUpgraded }: FoundProps): JSX.Element {
  return (
    <>
      <News update={update} />
      <UpgradeView server={update.server} onUpgraded={onUpgraded} />
    </>
  )
}

function News({ update }: Pick<FoundProps, 'update'>): JSX.Element {
  const { package: name, version, newer, withdrawn, isCordons, problem } = update
  return (
    <>
      {problem !== undefined && <p class="failure">The registry did not tell: {problem}</p>}
      {withdrawn !== undefined && (
        <p class="failure">
          {name} {version} was withdrawn: <Foreign text={withdrawn} />
        </p>
      )}
      {newer === undefined && problem === undefined && <p>{version} is the newest.</p>}
      {newer !== undefined && (
        <p>
          <code>{version}</code> → <code>{newer}</code>
          {isCordons && '; a later Cordon brings it'}.
        </p>
      )}
    </>
  )
}
