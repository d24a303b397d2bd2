/**
 * Memory: the facts that the owner asked to keep, each with where it came from; earlier turns; and forgetting, which is
 * asked about first. Facts of others are marked, and are text like everything that others wrote.
 */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { FactView, TurnView } from '../../../api/memory.ts'
import { useLive } from '../live.ts'
import { Badge, Card, Foreign, plural, Shown, Time } from '../parts/basics.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { ForgetFrom } from '../parts/forget-from.tsx'
import { OneLineForm } from '../parts/one-line-form.tsx'
import { ask } from '../ask.ts'
import { attempt, tellDone } from '../toasts.ts'

export function Memory(): JSX.Element {
  const live = useLive('memory.list', {}, ['memory'])
  const keep = async (text: string): Promise<boolean> =>
    await attempt(async () => {
      const { fact, replaced } = await ask('memory.remember', { text })
      tellDone(replaced ? `Kept, instead of fact ${replaced.number}.` : `Kept as ${fact.number}.`)
      await live.reload()
    })
  return (
    <>
      <h1>Memory</h1>
      <Card title="Facts">
        <OneLineForm label="Remember that" button="Remember" onSend={keep} />
        <Shown live={live} what="facts">
          {({ facts }) =>
            facts.length === 0 ? (
              <p class="muted">
                Nothing is kept that you did not ask for. Write a sentence above, or say{' '}
                <code>remember that …</code> in the chat.
              </p>
            ) : (
              <ul class="facts-kept">
                {facts.map((fact) => (
                  <Fact key={fact.number} fact={fact} onChanged={() => void live.reload()} />
                ))}
              </ul>
            )
          }
        </Shown>
      </Card>
      <History />
      <ForgetFrom onForgotten={() => void live.reload()} />
    </>
  )
}

interface FactProps {
  readonly fact: FactView
  readonly onChanged: () => void
}

function Fact({ fact, onChanged }: FactProps): JSX.Element {
  const state = useSignal<'shown' | 'edited' | 'asked'>('shown')
  const { number, text, isOthers, from } = fact
  const change = async (next: string): Promise<boolean> =>
    await attempt(async () => {
      await ask('memory.edit', { number, text: next })
      state.value = 'shown'
      onChanged()
    })
  const forget = (): void =>
    void attempt(async () => {
      await ask('memory.forget', { facts: [number] })
      tellDone('Forgotten.')
      onChanged()
    })
  return (
    <li>
      {state.value === 'edited' ? (
        <OneLineForm label={`Fact ${number}`} button="Save" first={text} onSend={change} />
      ) : (
        <p class="fact">
          <Foreign text={text} /> {isOthers && <Badge tone="locked" text="others' words" />}
        </p>
      )}
      <Source fact={fact} />
      {from.length > 0 && (
        <p class="muted">
          With words of <Foreign text={from.join(', ')} />
        </p>
      )}
      <p class="answers">
        <button
          type="button"
          class="quiet"
          onClick={() => (state.value = state.value === 'edited' ? 'shown' : 'edited')}
        >
          {state.value === 'edited' ? 'Cancel' : 'Edit'}
        </button>
        <button type="button" class="quiet" onClick={() => (state.value = 'asked')}>
          Forget
        </button>
      </p>
      {state.value === 'asked' && (
        <ConfirmDialog
          title={`Forget fact ${number}?`}
          verb="Forget"
          onConfirm={() => {
            state.value = 'shown'
            forget()
          }}
          onCancel={() => (state.value = 'shown')}
        >
          <Foreign text={text} />
        </ConfirmDialog>
      )}
    </li>
  )
}

/** The answer to "why do you know that?". */
function Source({ fact }: { readonly fact: FactView }): JSX.Element {
  const { channel, message, tool, keptAt } = fact
  return (
    <p class="muted">
      <Time iso={keptAt} />{' '}
      {channel === 'flow' ? (
        'A flow kept it'
      ) : (
        <>
          You wrote ({channel}): <Foreign text={message} />
        </>
      )}
      {tool !== undefined && (
        <>
          ; <Foreign text={tool} /> gave the text
        </>
      )}
    </p>
  )
}

const LAST_TURNS = 20

function History(): JSX.Element {
  const words = useSignal('')
  return (
    <Card title="Earlier turns">
      <OneLineForm
        label="Search"
        button="Search"
        mayBeEmpty
        onSend={async (text) => {
          words.value = text
          return false // the words stay in the field
        }}
      />
      {words.value === '' ? <Last /> : <Found key={words.value} words={words.value} />}
    </Card>
  )
}

function Last(): JSX.Element {
  const live = useLive('memory.history', { limit: LAST_TURNS }, ['memory', 'call'])
  return (
    <Shown live={live} what="turns">
      {({ turns }) => <Turns turns={turns.toReversed()} none="Nothing was said yet." />}
    </Shown>
  )
}

function Found({ words }: { readonly words: string }): JSX.Element {
  const live = useLive('memory.search', { words }, ['memory'])
  return (
    <Shown live={live} what="turns">
      {({ turns }) => (
        <>
          <p class="muted" role="status">
            {plural(turns.length, 'turn')} with these words
          </p>
          <Turns turns={turns} none="No turn holds all of these words." />
        </>
      )}
    </Shown>
  )
}

function Turns({
  turns,
  none,
}: {
  readonly turns: readonly TurnView[]
  readonly none: string
}): JSX.Element {
  if (turns.length === 0) return <p class="muted">{none}</p>
  return (
    <ul class="rows">
      {turns.map(({ number, at, channel, said, answered, from }) => (
        <li key={number}>
          <details>
            <summary>
              <Time iso={at} /> <Foreign text={said} />
            </summary>
            <p class="muted">
              {channel}
              {from.length > 0 && (
                <>
                  , with words of <Foreign text={from.join(', ')} />
                </>
              )}
            </p>
            <pre>
              <Foreign text={answered} />
            </pre>
          </details>
        </li>
      ))}
    </ul>
  )
}
