/** Several accounts of one service: each is a server of its own, with its own credentials and its own cordon. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { ServerSettings } from '../../../api/server-settings.ts'
import type { ConnectionView } from '../../../ports/setup-port.ts'
import { ask } from '../ask.ts'
import { addressOf, go } from '../place.ts'
import { attempt, tellDone } from '../toasts.ts'
import { Card, Foreign } from './basics.tsx'
import { ConnectPanel } from './connect-panel.tsx'

export function Accounts({ settings }: { readonly settings: ServerSettings }): JSX.Element | null {
  const account = useSignal('')
  const view = useSignal<ConnectionView | undefined>(undefined)
  const { service, accounts, access } = settings
  if (!service || access.kind === 'none') return null
  const connect = (): void =>
    void attempt(async () => {
      view.value = undefined
      view.value = await ask('connect.start', {
        name: service.slug,
        account: account.value.trim(),
      })
    })
  return (
    <Card title="Accounts">
      {accounts.length > 0 && (
        <ul class="rows">
          {accounts.map(({ server, name }) => (
            <li key={server}>
              <a href={addressOf('settings', 'mcp', server)}>
                <Foreign text={name} />
              </a>
            </li>
          ))}
        </ul>
      )}
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault()
          connect()
        }}
      >
        <label>
          Connect {service.title} as
          <input
            type="text"
            autocomplete="off"
            spellcheck={false}
            placeholder="work"
            value={account.value}
            onInput={(event) => {
              account.value = event.currentTarget.value
            }}
          />
        </label>
        <button type="submit" class="quiet" disabled={account.value.trim() === ''}>
          Connect another account
        </button>
      </form>
      {view.value && (
        <ConnectPanel
          key={view.value.connection}
          first={view.value}
          onEnd={({ phase, service: server, title }) => {
            if (phase !== 'connected') return
            tellDone(`${title} is connected.`)
            go('settings', 'mcp', server)
          }}
        />
      )}
    </Card>
  )
}
