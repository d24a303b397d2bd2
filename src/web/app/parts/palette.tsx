/** The command palette (Ctrl-K or Cmd-K), and the shortcuts `g` and a letter. Everything it does has a link as well. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { seenText } from '../../../text/untrusted-text.ts'
import { ask } from '../ask.ts'
import { go } from '../place.ts'
import { SCREENS } from '../screens.ts'

interface Command {
  readonly label: string
  readonly run: () => void
}

const COMMANDS: readonly Command[] = [
  ...SCREENS.map(({ id, title }) => ({ label: `Go to ${title}`, run: () => go(id) })),
  { label: 'Connect a server', run: () => go('servers', 'add') },
]

/** None while the kernel is away: the screens can be opened all the same. */
async function readServers(): Promise<readonly Command[]> {
  const { servers } = await ask('mcp.list', {}).catch(() => ({ servers: [] }))
  return servers.flatMap(({ server, name }) => [
    { label: `Open ${seenText(name)}`, run: () => go('servers', server) },
    { label: `Configure ${seenText(name)}`, run: () => go('settings', 'mcp', server) },
  ])
}

/** A second key counts as belonging to `g` within this time. */
const SECOND_KEY_MS = 1500

export function Palette(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  const words = useSignal('')
  const servers = useSignal<readonly Command[]>([])
  const open = (): void => {
    dialog.current?.showModal()
    void readServers().then((read) => (servers.value = read))
  }
  useEffect(() => listen(open), [])
  const found = [...COMMANDS, ...servers.value].filter(({ label }) =>
    label.toLowerCase().includes(words.value.trim().toLowerCase()),
  )
  const run = (command: Command | undefined): void => {
    dialog.current?.close()
    words.value = ''
    command?.run()
  }
  return (
    <dialog class="palette" ref={dialog} aria-label="Commands">
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault()
          run(found[0])
        }}
      >
        <label class="visually-hidden" for="palette-words">
          Command
        </label>
        <input
          id="palette-words"
          type="search"
          autocomplete="off"
          placeholder="Type a command"
          value={words.value}
          onInput={(event) => {
            words.value = event.currentTarget.value
          }}
        />
      </form>
      <ul>
        {found.map((command) => (
          <li key={command.label}>
            <button type="button" class="quiet" onClick={() => run(command)}>
              {command.label}
            </button>
          </li>
        ))}
        {found.length === 0 && <li class="muted">No command is called so.</li>}
      </ul>
    </dialog>
  )
}

function listen(open: () => void): () => void {
  let pressedAt = 0
  const onKey = (event: KeyboardEvent): void => {
    const isCommand = event.ctrlKey || event.metaKey
    if (isCommand && event.key.toLowerCase() === 'k') {
      event.preventDefault()
      open()
    }
    if (isCommand || event.altKey || isTyping(event.target)) return
    if (event.timeStamp - pressedAt < SECOND_KEY_MS) {
      const screen = SCREENS.find(({ key }) => key === event.key)
      if (screen) go(screen.id)
    }
    pressedAt = event.key === 'g' ? event.timeStamp : -SECOND_KEY_MS
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}

/** A letter that is typed into a field is no shortcut. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLInputElement ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement
  )
}
