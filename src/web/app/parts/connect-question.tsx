/**
 * The open question of a connection: choices, a sign-in, or a field. A secret is typed into a password field, goes to the
 * kernel and nowhere else, and the field is emptied at once. Nothing of it passes the chat or a model.
 */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { ConnectionQuestion, ConnectionView } from '../../../ports/setup-port.ts'
import { seenText } from '../../../text/untrusted-text.ts'
import { ask } from '../ask.ts'
import { attempt } from '../toasts.ts'
import { Prose } from './basics.tsx'
import { OneLineForm } from './one-line-form.tsx'

interface QuestionProps {
  readonly view: ConnectionView
  readonly question: ConnectionQuestion
}

export function ConnectQuestion({ view, question }: QuestionProps): JSX.Element {
  const { connection } = view
  const provide = (value: string): void =>
    void attempt(() => ask('connect.provide', { connection, value }))
  const { title, sentence = title, choices, device, authorize } = question
  if (device)
    return (
      <p>
        {sentence} Open <Outside url={device.url} /> and enter{' '}
        <code class="code-shown">{device.code}</code>. This page goes on by itself.
      </p>
    )
  if (authorize !== undefined) return <SignIn url={authorize} title={view.title} />
  if (choices)
    return (
      <fieldset class="choices">
        <legend>{sentence}</legend>
        {Object.entries(choices).map(([word, means]) => (
          <button key={word} type="button" class="quiet" onClick={() => provide(word)}>
            <strong>{word}</strong>
            <span>{means}</span>
          </button>
        ))}
      </fieldset>
    )
  return <TypedAnswer question={question} onSend={provide} />
}

interface SignInProps {
  readonly url: string
  readonly title: string
}

/** The browser of another machine, as over ssh, ends at an address of that machine, where nothing answers. */
function SignIn({ url, title }: SignInProps): JSX.Element {
  return (
    <>
      <p>
        <a class="button" href={safeUrl(url) ?? '#'} target="_blank" rel="noopener noreferrer">
          Authorize with {title}
        </a>{' '}
        <span class="muted">at {hostOf(url)}; this page goes on by itself.</span>
      </p>
      <details>
        <summary>The browser ended at a page that cannot be reached</summary>
        <OneLineForm
          label="Address of that page"
          button="Go on"
          onSend={(address) => attempt(() => ask('auth.callback', { url: address }))}
        />
      </details>
    </>
  )
}

interface AnswerProps {
  readonly question: ConnectionQuestion
  readonly onSend: (value: string) => void
}

function TypedAnswer({ question, onSend }: AnswerProps): JSX.Element {
  const { isSecret, where, url } = question
  const typed = useSignal('')
  const isMissing = useSignal(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const send = (): void => {
    const { value } = typed
    if (isSecret) typed.value = ''
    isMissing.value = value.trim() === ''
    if (!isMissing.value) onSend(value)
  }
  const shared = {
    ref: field,
    autocomplete: 'off',
    spellcheck: false,
    value: typed.value,
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => {
      typed.value = event.currentTarget.value
      isMissing.value = false
    },
  } as const
  return (
    <form
      class="provide"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <label>
        {question.sentence ?? question.title}
        {isSecret ? <input type="password" {...shared} /> : <input type="text" {...shared} />}
        {isMissing.value && (
          <span class="field-error" role="alert">
            Type an answer first.
          </span>
        )}
      </label>
      {where !== undefined && (
        <div class="muted">
          <Prose text={`${seenText(where).replace(/\.$/, '')}.`} />
        </div>
      )}
      {url !== undefined && <Outside url={url} />}
      <button type="submit">{isSecret ? 'Store it' : 'Next'}</button>
    </form>
  )
}

/** A link is shown in full before it is opened, and tells the other side nothing about this page. */
export function Outside({ url }: { readonly url: string }): JSX.Element {
  const href = safeUrl(url)
  if (href === undefined) return <code>{url}</code>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {url}
    </a>
  )
}

/** Undefined for anything but http and https: a `javascript:` address would run in this page. */
function safeUrl(url: string): string | undefined {
  return /^https?:\/\//i.test(url) ? url : undefined
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
