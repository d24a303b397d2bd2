/**
 * A question of a server during a call, or about a call whose answer was lost. The frame is Cordon's and names the asker;
 * every text of the question is untrusted. Its fields never ask for a secret: those have a form of their own.
 */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { FieldValue, QuestionField } from '../../../kernel/elicitation.ts'
import type { FlowQuestion } from '../../../ports/flow-port.ts'
import { attempt } from '../toasts.ts'
import { Card, Foreign } from './basics.tsx'

type Values = Readonly<Record<string, FieldValue>>

interface QuestionProps {
  readonly question: FlowQuestion
  readonly onAnswer: (choice: string, value?: Values) => Promise<unknown>
}

const CHOICES: Readonly<Record<string, string>> = {
  retry: 'It was not done: do it again',
  done: 'It was done: go on',
  fail: 'Stop here',
  accept: 'Send',
  decline: 'Decline',
  cancel: 'Cancel',
}

const STUCK_CHOICES: Readonly<Record<string, string>> = { retry: 'Go on with it', fail: 'End it' }

export function ServerQuestion({ question, onAnswer }: QuestionProps): JSX.Element {
  const { kind, text, server = 'A server', choices, fields = [], url } = question
  const values = useSignal<Values>(defaultsOf(fields))
  const answer = (choice: string): void =>
    void attempt(() =>
      kind === 'input' && choice === 'accept' ? onAnswer(choice, given()) : onAnswer(choice),
    )
  /** A field that was left empty is left out: the kernel then takes its default. */
  const given = (): Values =>
    Object.fromEntries(Object.entries(values.value).filter(([, value]) => !isEmpty(value)))
  return (
    <Card title={titleOf(question)}>
      {kind === 'input' && (
        <p class="muted">These are words of {server}, not of Cordon. It is sent what you answer.</p>
      )}
      <blockquote class="external" aria-label="The question">
        <p class="said">
          <Foreign text={text.replace(`${server} asks: `, '')} />
        </p>
        {url !== undefined && (
          <p>
            It wants you to visit <code>{url}</code>. Cordon does not open it.
          </p>
        )}
      </blockquote>
      <form
        class="start"
        onSubmit={(event) => {
          event.preventDefault()
          answer('accept')
        }}
      >
        {kind === 'input' && fields.length > 0 && (
          <p class="muted">
            Never type a password or a token: Cordon has a field of its own for those.
          </p>
        )}
        {fields.map((field) => (
          <Field
            key={field.name}
            field={field}
            value={values.value[field.name]}
            onChange={(value) => (values.value = { ...values.value, [field.name]: value })}
          />
        ))}
        <p class="answers">
          {choices.map((choice) => (
            <button
              key={choice}
              type={choice === 'accept' ? 'submit' : 'button'}
              class={choice === 'accept' ? '' : 'quiet'}
              onClick={choice === 'accept' ? undefined : () => answer(choice)}
            >
              {(kind === 'stuck' ? STUCK_CHOICES : CHOICES)[choice] ?? choice}
            </button>
          ))}
        </p>
      </form>
    </Card>
  )
}

function titleOf({ kind, node, server = 'A server' }: FlowQuestion): string {
  if (kind === 'stuck') return 'This run waits for your word'
  return kind === 'input' ? `${server} asks you` : `You are asked, about ${node}`
}

function isEmpty(value: FieldValue): boolean {
  return value === '' || Number.isNaN(value) || (Array.isArray(value) && value.length === 0)
}

function defaultsOf(fields: readonly QuestionField[]): Values {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = field.default ?? (field.kind === 'yes-no' ? false : undefined)
      return value === undefined ? [] : [[field.name, value] as const]
    }),
  )
}

interface FieldProps {
  readonly field: QuestionField
  readonly value: FieldValue | undefined
  readonly onChange: (value: FieldValue) => void
}

function Field({ field, value, onChange }: FieldProps): JSX.Element {
  return (
    <label>
      <span>
        <Foreign text={field.title} />
        {field.isRequired ? '' : ' (may be left empty)'}
        {field.description !== undefined && (
          <span class="muted">
            {' '}
            <Foreign text={field.description} />
          </span>
        )}
      </span>
      <FieldInput field={field} value={value} onChange={onChange} />
    </label>
  )
}

function FieldInput({ field, value, onChange }: FieldProps): JSX.Element {
  if (field.kind === 'yes-no')
    return (
      <input
        type="checkbox"
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    )
  if (field.kind === 'choice' || field.kind === 'choices')
    return (
      <select
        multiple={field.kind === 'choices'}
        required={field.isRequired}
        onChange={({ currentTarget: { selectedOptions } }) => {
          const chosen = Array.from(selectedOptions, (option) => option.value)
          onChange(field.kind === 'choices' ? chosen : (chosen[0] ?? ''))
        }}
      >
        {field.kind === 'choice' && <option value="" />}
        {field.options.map((option) => (
          <option
            key={option.value}
            value={option.value}
            selected={Array.isArray(value) ? value.includes(option.value) : value === option.value}
          >
            {option.title}
          </option>
        ))}
      </select>
    )
  if (field.kind === 'number')
    return (
      <input
        type="number"
        step={field.isWhole ? '1' : 'any'}
        required={field.isRequired}
        value={typeof value === 'number' ? value : ''}
        onInput={({ currentTarget }) => onChange(currentTarget.valueAsNumber)}
      />
    )
  return (
    <input
      type="text"
      autocomplete="off"
      required={field.isRequired}
      value={typeof value === 'string' ? value : ''}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}
