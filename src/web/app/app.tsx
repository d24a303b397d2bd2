/** The frame around every screen: navigation, the state of the connection, toasts, and the screen itself. */
import type { ComponentType, JSX } from 'preact'
import { lazy, Suspense } from 'preact/compat'
import { useEffect } from 'preact/hooks'
import { listenForHotkey } from './hotkey.ts'
import { connection } from './live.ts'
import { AlertWatch } from './parts/alert-watch.tsx'
import { Loading } from './parts/loading.tsx'
import { SignedOut } from './parts/signed-out.tsx'
import { ServerNews } from './parts/server-news.tsx'
import { Palette } from './parts/palette.tsx'
import { Toasts } from './parts/toasts.tsx'
import { addressOf, place } from './place.ts'
import { SCREENS } from './screens.ts'
import { leave, signIn } from './ask.ts'
import { attempt } from './toasts.ts'

export function App(): JSX.Element {
  useEffect(listenForHotkey, [])
  const { kind } = signIn.value
  if (kind === 'entering') return <Loading what="Cordon" />
  if (signIn.value.kind === 'out') return <SignedOut notice={signIn.value.notice} />
  return (
    <div class="frame">
      <a class="skip" href="#main" onClick={focusMain}>
        Skip to the content
      </a>
      <Navigation />
      <div class="stage">
        {connection.value === 'away' && (
          <p class="away" role="alert">
            Cordon does not answer. Run <code>cordon up</code> in a terminal; this page goes on by
            itself.
          </p>
        )}
        <main id="main" tabIndex={-1}>
          <Suspense fallback={<Loading what="the screen" />}>
            <Screen />
          </Suspense>
        </main>
      </div>
      <Palette />
      <AlertWatch />
      <ServerNews />
      <Toasts />
    </div>
  )
}

/** Not the fragment itself: that would name another screen. */
function focusMain(event: Event): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

function Navigation(): JSX.Element {
  const { screen } = place.value
  return (
    <header class="side">
      <h1 class="brand">
        <img src="/icon.svg" alt="" width="26" height="26" />
        Cordon
      </h1>
      <nav aria-label="Screens">
        {SCREENS.map(({ id, title, key }) => (
          <a
            key={id}
            href={addressOf(id)}
            aria-current={id === screen ? 'page' : undefined}
            aria-keyshortcuts={`g ${key}`}
          >
            {title}
          </a>
        ))}
      </nav>
      <button class="quiet" type="button" onClick={() => void attempt(leave)}>
        Sign out
      </button>
    </header>
  )
}

const loaded = new Map<string, ComponentType>()

function Screen(): JSX.Element {
  const known = SCREENS.find(({ id }) => id === place.value.screen) ?? SCREENS[0]
  if (!known) return <Loading what="the screen" />
  const Shown = loaded.get(known.id) ?? lazy(async () => ({ default: await known.load() }))
  loaded.set(known.id, Shown)
  document.title = known.id === 'home' ? 'Cordon' : `${known.title} · Cordon`
  return <Shown key={known.id} />
}
