/** The last MCP messages between Cordon and one server, each on a line that opens. Read only while the list is open. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { ProtocolMessage } from '../../../kernel/server-state.ts'
import { useLive } from '../live.ts'
import { Card, Foreign, Shown, Time } from '../parts/basics.tsx'
import { CopyLine } from '../parts/copy-line.tsx'

const MOST_SHOWN = 200

export function ProtocolLog({ server }: { readonly server: string }): JSX.Element {
  const isOpen = useSignal(false)
  return (
    <Card title="Protocol">
      <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
        <summary>What Cordon and the server said to each other, in MCP; secrets are masked</summary>
        {isOpen.value && <Messages server={server} />}
      </details>
      <CopyLine line={`cordon mcp logs ${server} --protocol --follow`} />
    </Card>
  )
}

function Messages({ server }: { readonly server: string }): JSX.Element {
  const live = useLive('mcp.messages', { server }, ['servers', 'call'])
  return (
    <Shown live={live} what="messages">
      {({ messages }) =>
        messages.length === 0 ? (
          <p class="muted">
            Nothing was said since Cordon started. Test the connection, or call a tool by hand.
          </p>
        ) : (
          <ol class="protocol" aria-label="Messages">
            {withNames(messages)
              .slice(-MOST_SHOWN)
              .map(({ message, name }) => (
                <Message key={message.seq} message={message} name={name} />
              ))}
          </ol>
        )
      }
    </Shown>
  )
}

interface Named {
  readonly message: ProtocolMessage
  readonly name: string
}

/** An answer is named after its request, which went the other way under the same id. */
function withNames(messages: readonly ProtocolMessage[]): readonly Named[] {
  const asked = new Map<string, string>()
  return messages.map((message) => {
    const { direction, id, method, isError } = message
    if (method !== undefined) {
      if (id !== undefined) asked.set(`${direction} ${id}`, method)
      return { message, name: method }
    }
    const other = direction === 'sent' ? 'received' : 'sent'
    const request = asked.get(`${other} ${id}`)
    const answer = isError ? 'error' : 'answer'
    return { message, name: request === undefined ? answer : `${answer} to ${request}` }
  })
}

function Message({ message: { at, direction, text, isError }, name }: Named): JSX.Element {
  const isSent = direction === 'sent'
  return (
    <li class={isError ? `${direction} failed` : direction}>
      <details>
        <summary>
          <span aria-hidden="true">{isSent ? '→' : '←'}</span>
          <span class="visually-hidden">{isSent ? 'sent' : 'received'}</span> <Time iso={at} />{' '}
          <code>
            <Foreign text={name} />
          </code>
        </summary>
        <pre>
          <Foreign text={spread(text)} />
        </pre>
      </details>
    </li>
  )
}

/** Over several lines, unless it was cut and is no JSON any more. */
function spread(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}
