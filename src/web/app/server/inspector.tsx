/** Calls a tool by hand, through the one door: a form made of its schema, its question in place, its answer as untrusted text. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Output } from '../../../api/contract.ts'
import type { FlowQuestion } from '../../../ports/flow-port.ts'
import type { ToolDescription } from '../../../kernel/server-state.ts'
import { shellWord } from '../../../text/shell-word.ts'
import { showAnswer } from '../../../text/show-result.ts'
import { printable } from '../../../text/untrusted-text.ts'
import { ask, Refused } from '../ask.ts'
import { useLive } from '../live.ts'
import { Card, Shown } from '../parts/basics.tsx'
import { CopyLine } from '../parts/copy-line.tsx'
import { OpenApprovals } from '../parts/open-approvals.tsx'
import { ServerQuestion } from '../parts/server-question.tsx'
import { attempt } from '../toasts.ts'
import { argumentsFrom, SchemaFields, type Typed } from './schema-fields.tsx'

export function Inspector({ server }: { readonly server: string }): JSX.Element {
  const live = useLive('mcp.tools', { server }, ['servers'])
  const chosen = useSignal('')
  return (
    <Card title="Call a tool by hand">
      <Shown live={live} what="tools">
        {({ tools }) => {
          const callable = tools.filter(({ quarantined }) => !quarantined)
          const tool = callable.find(({ name }) => name === chosen.value)
          return (
            <>
              <label>
                Tool
                <select
                  value={chosen.value}
                  onChange={(event) => {
                    chosen.value = event.currentTarget.value
                  }}
                >
                  <option value="">choose one</option>
                  {callable.map(({ name }) => (
                    <option key={name}>{name}</option>
                  ))}
                </select>
              </label>
              {tool && <CallForm key={tool.hash} server={server} tool={tool} />}
            </>
          )
        }}
      </Shown>
    </Card>
  )
}

interface FormProps {
  readonly server: string
  readonly tool: ToolDescription
}

function CallForm({ server, tool: { name, inputSchema } }: FormProps): JSX.Element {
  const typed = useSignal<Typed>({})
  const callId = useSignal<string | undefined>(undefined)
  const result = useSignal<Output<'mcp.call'> | undefined>(undefined)
  const args = argumentsFrom(inputSchema, typed.value)
  const call = async (): Promise<void> => {
    const id = crypto.randomUUID()
    callId.value = id
    result.value = undefined
    const asking = { callId: id, approval: 'wait', canAnswer: true } as const
    await attempt(async () => {
      result.value = await ask('mcp.call', { server, tool: name, args, ...asking })
    })
    callId.value = undefined
  }
  const json = Object.keys(args).length === 0 ? [] : [JSON.stringify(args)]
  return (
    <>
      <form
        class="start"
        aria-label={`Call ${name}`}
        onSubmit={(event) => {
          event.preventDefault()
          void call()
        }}
      >
        <SchemaFields
          schema={inputSchema}
          typed={typed.value}
          onType={(argument, text) => (typed.value = { ...typed.value, [argument]: text })}
        />
        <button type="submit" disabled={callId.value !== undefined}>
          Call
        </button>
      </form>
      <CopyLine
        line={['cordon', 'mcp', 'call', `${server}.${name}`, ...json].map(shellWord).join(' ')}
      />
      {callId.value !== undefined && <UnderWay callId={callId.value} />}
      {result.value && <Result result={result.value} />}
    </>
  )
}

/** The call as it runs: the approval that it waits for, or a question of the server. */
function UnderWay({ callId }: { readonly callId: string }): JSX.Element {
  const question = useSignal<FlowQuestion | undefined>(undefined)
  useEffect(() => {
    const ending = new AbortController()
    const follow = async (): Promise<void> => {
      while (!ending.signal.aborted) {
        const answer = await ask('mcp.question', { callId }, ending.signal)
        question.value = answer.question ?? undefined
        // An open question is answered at once by the route, so the next look waits a little.
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      }
    }
    follow().catch((error: unknown) => {
      if (!ending.signal.aborted && !(error instanceof Refused)) throw error
    })
    return () => ending.abort()
  }, [callId])
  const open = question.value
  return (
    <>
      <p class="muted working" role="status">
        <span class="spinner" aria-hidden="true" /> Calling…
      </p>
      <OpenApprovals task={callId} />
      {open && (
        <ServerQuestion
          key={open.id}
          question={open}
          onAnswer={async (choice, value) =>
            await ask('mcp.answer', {
              callId,
              question: open.id,
              choice: choice === 'accept' || choice === 'decline' ? choice : 'cancel',
              ...(value && { value }),
            })
          }
        />
      )}
    </>
  )
}

const LOOK_MS = 300

function Result({ result }: { readonly result: Output<'mcp.call'> }): JSX.Element {
  if (result.kind !== 'ok')
    return (
      <p class="failure" role="alert">
        {result.kind}: {printable(result.reason)}
      </p>
    )
  return (
    <blockquote class="external" aria-label="Words of the server">
      <pre>{printable(showAnswer(result, '`cordon mcp call … --out FILE` saves it'))}</pre>
    </blockquote>
  )
}
