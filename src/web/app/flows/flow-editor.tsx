/** A flow being written: its text beside its picture, both of the same flow as one types; checked, run, saved from here. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { FlowCheck } from '../../../ports/flow-port.ts'
import { useLive } from '../live.ts'
import { Card, Foreign, Prose, Shown } from '../parts/basics.tsx'
import { addressOf } from '../place.ts'
import { CheckReport } from './check-report.tsx'
import { flowDrafts, sourceOf, UNNAMED } from './flow-drafts.ts'
import { FlowPicture } from './flow-picture.tsx'
import { FlowSchedules } from './flow-schedules.tsx'
import { FlowText } from './flow-text.tsx'
import { checkMarks } from './node-mark.ts'
import { RunList } from './run-list.tsx'
import { DeleteFlow, SaveForm } from './save-form.tsx'
import { StartForm } from './start-form.tsx'
import { type Checking, useCheck } from './use-check.ts'

export function NewFlow(): JSX.Element {
  return (
    <>
      <Back />
      <h1>New flow</h1>
      <Editor name={UNNAMED} saved="" onSaved={() => undefined} />
    </>
  )
}

/** A flow that was saved as words or JSON has no text of its own, and is edited as JSON. */
export function SavedFlow({ name }: { readonly name: string }): JSX.Element {
  const live = useLive('flows.read', { name }, [])
  return (
    <>
      <Back />
      <Shown live={live} what="the flow">
        {({ text, ir, description }) => (
          <>
            <div class="card-head">
              <h1>{name}</h1>
              <DeleteFlow name={name} />
            </div>
            {description !== '' && (
              <p class="muted">
                <Foreign text={description} />
              </p>
            )}
            <Editor
              name={name}
              saved={text ?? JSON.stringify(ir, null, 2)}
              onSaved={() => void live.reload()}
            />
            <FlowSchedules name={name} />
            <RunList flow={name} />
          </>
        )}
      </Shown>
    </>
  )
}

function Back(): JSX.Element {
  return (
    <p>
      <a href={addressOf('flows')}>All flows</a>
    </p>
  )
}

interface EditorProps {
  readonly name: string
  readonly saved: string
  readonly onSaved: () => void
}

function Editor({ name, saved, onSaved }: EditorProps): JSX.Element {
  const text = flowDrafts.of(name) ?? saved
  const checking = useCheck(text)
  const selected = useSignal<string | undefined>(undefined)
  const isChanged = text !== saved
  const current = currentCheck(checking, text)
  const source = name === UNNAMED || isChanged ? sourceOf(text) : ({ kind: 'saved', name } as const)
  return (
    <div class="editor">
      <Card title="Text" aside={isChanged && <span class="muted">not saved</span>}>
        <FlowText
          text={text}
          selected={selected.value}
          onChange={(changed) => flowDrafts.set(name, changed)}
        />
        <SaveForm
          name={name}
          source={current?.isSound === true ? sourceOf(text) : undefined}
          onSaved={onSaved}
        />
        {current && source && <StartForm key={text} source={source} check={current} />}
      </Card>
      <Card title="Picture">
        <Drawing
          checking={checking}
          selected={selected.value}
          onSelect={(node) => (selected.value = node === selected.value ? undefined : node)}
        />
      </Card>
    </div>
  )
}

/** The check of exactly this text; undefined while it is under way, and for a text that cannot be read. */
function currentCheck({ last, problem }: Checking, text: string): FlowCheck | undefined {
  const isCurrent = last.value?.text === text && problem.value === undefined
  return isCurrent ? last.value?.check : undefined
}

interface DrawingProps {
  readonly checking: Checking
  readonly selected: string | undefined
  readonly onSelect: (node: string) => void
}

function Drawing({ checking, selected, onSelect }: DrawingProps): JSX.Element {
  const last = checking.last.value
  const problem = checking.problem.value
  return (
    <>
      {problem && (
        <div class="failure" role="alert">
          <p>
            <Foreign text={`${problem.message}.`} />
          </p>
          <Prose text={`${problem.hint}.`} />
        </div>
      )}
      {last ? (
        <>
          <FlowPicture
            shape={last.shape}
            marks={checkMarks(last.shape, last.check)}
            selected={selected}
            onSelect={onSelect}
          />
          <CheckReport checked={last} selected={selected} />
        </>
      ) : (
        !problem && (
          <p class="muted">
            Write steps, joined by <code>{'>>'}</code>. A step is a tool of a server (
            <code>mcp-SERVER-TOOL</code>) or a built-in node such as <code>llm</code>. The picture
            follows while you type, and shows which steps will ask you.
          </p>
        )
      )}
    </>
  )
}
