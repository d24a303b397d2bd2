/** One run: its picture with the state of every node as it changes, its questions, the values of each step, its result. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { FlowTrace } from '../../../ports/flow-port.ts'
import { printable } from '../../../text/untrusted-text.ts'
import { showResult } from '../../../text/show-result.ts'
import { ask } from '../ask.ts'
import { Card, Foreign, Prose, Shown, Time } from '../parts/basics.tsx'
import { OpenApprovals } from '../parts/open-approvals.tsx'
import { ServerQuestion } from '../parts/server-question.tsx'
import { addressOf } from '../place.ts'
import { attempt, tellDone } from '../toasts.ts'
import { FlowPicture } from './flow-picture.tsx'
import { readShape } from './flow-shape.ts'
import { isOver } from './follow-run.ts'
import { useRun } from './use-run.ts'
import { runMarks } from './node-mark.ts'
import { RunBadge, Where } from './run-list.tsx'
import { StepValues } from './step-values.tsx'

export function RunPage({ id }: { readonly id: string }): JSX.Element {
  const run = useRun(id)
  return (
    <>
      <p>
        <a href={addressOf('flows')}>All flows</a>
      </p>
      <Shown live={run} what="the run">
        {(trace) => (
          <>
            <Head trace={trace} onRetried={() => void run.reload()} />
            {trace.state === 'asking' && <OpenApprovals task={id} />}
            {trace.question && (
              <ServerQuestion
                key={trace.question.id}
                question={trace.question}
                onAnswer={async (choice, value) =>
                  await ask('flows.answer', {
                    id,
                    question: trace.question?.id ?? '',
                    choice,
                    ...(value && { value }),
                  })
                }
              />
            )}
            <Result trace={trace} />
            <Steps trace={trace} />
          </>
        )}
      </Shown>
    </>
  )
}

interface TraceProps {
  readonly trace: FlowTrace
}

function Head({
  trace: { id, flow, state, startedAt, principal, problem, kernel, waitsFor },
  onRetried,
}: TraceProps & { readonly onRetried: () => void }): JSX.Element {
  const cancel = (): void =>
    void attempt(async () => {
      await ask('flows.cancel', { id })
      tellDone('Cancelled.')
    })
  const retry = (): void =>
    void attempt(async () => {
      await ask('flows.answer', { id, question: 'retry', choice: 'retry' })
      onRetried()
    })
  return (
    <section class="card" aria-label="Run">
      <div class="card-head">
        <h1>
          <Foreign text={flow} />
        </h1>
        <RunBadge state={state} />
        <Where kernel={kernel} waitsFor={waitsFor} />
      </div>
      <p class="muted">
        Began at <Time iso={startedAt} />, by {principal}
      </p>
      {problem && (
        <div class="failure" role="alert">
          <p>
            {problem.node !== undefined && <code>{problem.node}</code>}{' '}
            <Foreign text={`${problem.message}.`} />
          </p>
          <Prose text={`${problem.hint.replace(/\bRUN\b/g, id)}.`} />
        </div>
      )}
      <p class="answers">
        {!isOver(state) && (
          <button type="button" class="quiet" onClick={cancel}>
            Cancel the run
          </button>
        )}
        {state === 'failed' && (
          <button type="button" class="quiet" onClick={retry}>
            Try its last step again
          </button>
        )}
      </p>
    </section>
  )
}

const SAVED_BY = '`cordon mcp call … --out FILE` saves it'

function Result({ trace: { outputs } }: TraceProps): JSX.Element | null {
  const names = Object.keys(outputs ?? {})
  if (!outputs || names.length === 0) return null
  return (
    <Card title="It gave">
      {names.map((name) => (
        <div key={name}>
          <h3>
            <code>{name}</code>
          </h3>
          <blockquote class="external" aria-label={`Value of ${name}`}>
            <pre>{printable(showResult(outputs[name] ?? null, SAVED_BY))}</pre>
          </blockquote>
        </div>
      ))}
    </Card>
  )
}

/** Without a choice of the person the last step that began is shown, so that one sees where the run is. */
function Steps({ trace: { id, ir, steps, problem } }: TraceProps): JSX.Element {
  const chosen = useSignal<string | undefined>(undefined)
  const shape = useMemo(() => readShape(ir), [id])
  const selected = chosen.value ?? problem?.node ?? steps.at(-1)?.node
  const own = steps.filter(({ node }) => node === selected)
  return (
    <div class="editor">
      <Card title="Picture">
        <FlowPicture
          shape={shape}
          marks={runMarks(steps)}
          selected={selected}
          onSelect={(node) => (chosen.value = node)}
        />
      </Card>
      <Card title={selected === undefined ? 'Steps' : `Steps of ${selected}`}>
        {own.length === 0 ? (
          <p class="muted">
            {selected === undefined ? 'No step has run yet.' : 'This node has not run.'}
          </p>
        ) : (
          <StepValues steps={own} />
        )}
      </Card>
    </div>
  )
}
