/** The chain of the home screen: how far the owner has come, and always one next step with one button. */
import type { JSX } from 'preact'
import type { Output } from '../../../api/contract.ts'
import { draft, exampleOf, hasOpenedChat } from '../examples.ts'
import { addressOf } from '../place.ts'
import { plural, Prose } from './basics.tsx'

type Servers = Output<'mcp.list'>['servers']

interface ChainProps {
  readonly servers: Servers
  /** A request of the owner was answered. */
  readonly hasTalked: boolean
  /** Another MCP client may use the servers through the gateway. */
  readonly hasClient: boolean
}

interface Link {
  readonly title: string
  readonly isDone: boolean
  readonly next: string
  readonly to: string
  readonly label: string
  /** The field of the chat begins with them. */
  readonly words?: string
}

export function Chain(props: ChainProps): JSX.Element {
  const { servers } = props
  const links = linksOf(props)
  const next = links.find(({ isDone }) => !isDone) ?? allDone(servers)
  return (
    <section class="card chain" aria-label="Where you are">
      <ol>
        {links.map(({ title, isDone }) => (
          <li key={title} class={isDone ? 'done' : title === next.title ? 'next' : ''}>
            {title}
            <span class="visually-hidden">{isDone ? ' (done)' : ' (open)'}</span>
          </li>
        ))}
      </ol>
      <div class="next-step">
        <Prose text={next.next} />
        <a
          class="button"
          href={next.to}
          onClick={() => {
            if (next.words !== undefined) draft.value = next.words
          }}
        >
          {next.label}
        </a>
      </div>
    </section>
  )
}

/** The first link that is not done is the next step; a connected server has its credential and its test behind it. */
function linksOf(props: ChainProps): readonly Link[] {
  const { servers } = props
  const isConnected = servers.some(({ state }) => state.badge === 'connected' || state.tools > 0)
  const waiting = servers.find(({ state }) => state.badge === 'error')
  const broken = addressOf('servers', (waiting ?? servers[0])?.server ?? '')
  const first = {
    title: 'Server',
    isDone: servers.length > 0,
    next: 'Connect a first server. Filesystem comes with Cordon and needs no account.',
    to: addressOf('servers', 'add'),
    label: 'Connect a server',
  }
  const credential = {
    title: 'Credential',
    isDone: servers.length > 0 && (isConnected || waiting === undefined),
    next: waiting ? notReady(waiting) : '',
    to: broken,
    label: 'See what is missing',
  }
  const tested = {
    title: 'Tested',
    isDone: isConnected,
    next: 'Start the server once: its tools are listed, and a harmless one is tried.',
    to: broken,
    label: 'Start it',
  }
  return [first, credential, tested, ...talkOf(props, isConnected)]
}

function talkOf(
  { servers, hasTalked, hasClient }: ChainProps,
  isConnected: boolean,
): readonly Link[] {
  const [words] = servers.flatMap((server) => exampleOf(server) ?? [])
  const to = addressOf('chat')
  return [
    {
      title: 'Chat or client',
      isDone: isConnected && (hasTalked || hasClient || hasOpenedChat()),
      next: 'Open the chat of this page. In a terminal it is `cordon chat`; another MCP client is let in with `cordon client add`.',
      to,
      label: 'Open the chat',
    },
    {
      title: 'First answer',
      isDone: isConnected && hasTalked,
      next: 'Ask for something in your own words, or begin with an example.',
      to,
      ...(words === undefined
        ? { label: 'Open the chat' }
        : { label: 'Ask with an example', words }),
    },
  ]
}

function allDone(servers: Servers): Link {
  return {
    title: '',
    isDone: true,
    next:
      servers.length === 1
        ? 'Everything is set up: one server, behind its cordon.'
        : `Everything is set up: ${plural(servers.length, 'server')}, each behind its own cordon.`,
    to: addressOf('chat'),
    label: 'Open the chat',
  }
}

function notReady({ name, state }: Servers[number]): string {
  return `${name} is not ready: ${state.reason ?? 'it waits for something'}.`
}
