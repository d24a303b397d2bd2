/**
 * Moves a program in and out: its servers become Cordon's, and its file names Cordon instead. The person has seen the plan;
 * a file that has changed since is refused by the API, and a program that does not connect afterwards is restored by it.
 */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { ClientPlan } from '../../../ports/client-import-port.ts'
import { ask, Refused } from '../ask.ts'
import { attempt, tellDone, tellFailed } from '../toasts.ts'

interface MoveProps {
  readonly plan: ClientPlan
  readonly onMoved: () => void
}

export function MoveIn({ plan, onMoved }: MoveProps): JSX.Element {
  const doing = useSignal<string | undefined>(undefined)
  const move = async (): Promise<void> => {
    await attempt(() => moveIn(plan, (step) => (doing.value = step)))
    doing.value = undefined
    onMoved()
  }
  return (
    <>
      <p>
        The file is changed in place; the original is kept in the vault, so that it can be restored
        byte for byte.
      </p>
      <p class="answers">
        <button type="button" disabled={doing.value !== undefined} onClick={() => void move()}>
          Move in
        </button>
        <span role="status">{doing.value}</span>
      </p>
    </>
  )
}

async function moveIn(plan: ClientPlan, tell: (step: string) => void): Promise<void> {
  const { client, name, seen } = plan
  tell('Moving its servers …')
  const { startable } = await ask('imports.move', { client, seen })
  for (const { server } of startable) {
    tell(`Starting ${server} …`)
    await start(server)
  }
  tell(`Trying the start line of ${name} …`)
  const { tools } = await ask('imports.finish', { client })
  tellDone(`${name} is connected: ${tools} tools through Cordon. Restart it to see them.`)
}

/** A server that does not start stays in Cordon, and its page says what to do; the others go on. */
async function start(server: string): Promise<void> {
  try {
    await ask('mcp.start', { server })
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    tellFailed(`${server}: ${error.message}.`, { hint: `${error.hint}.`, about: `start ${server}` })
  }
}

interface UndoProps {
  readonly client: string
  readonly name: string
  readonly onUndone: () => void
}

/** A file that was changed since the move is restored only on a second word, with those changes or without them. */
export function UndoMove({ client, name, onUndone }: UndoProps): JSX.Element {
  const asked = useSignal<'no' | 'undo'>('no')
  const undo = (merge: boolean): void =>
    void attempt(async () => {
      const { told } = await ask('imports.undo', { client, merge })
      asked.value = 'no'
      tellDone(`${told}.`)
      onUndone()
    })
  if (asked.value === 'no')
    return (
      <button type="button" class="quiet" onClick={() => (asked.value = 'undo')}>
        Move {name} out again
      </button>
    )
  return (
    <p class="answers" role="alert">
      Restore the file of {name}? It then starts its servers itself, without a sandbox.
      <button type="button" class="quiet" onClick={() => (asked.value = 'no')}>
        Cancel
      </button>
      <button type="button" onClick={() => undo(false)}>
        Restore it byte for byte
      </button>
      <button type="button" onClick={() => undo(true)}>
        Keep what I changed since
      </button>
    </p>
  )
}
