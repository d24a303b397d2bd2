/** The frame around every screen: navigation, the state of the connection, toasts, and the screen itself. */
import type { ComponentType, JSX } from 'preact'
import { lazy, Suspense } from 'preact/compat'
import { useEffect } from 'preact/hooks'
import { listenForHotkey } from './hotkey.ts'
import { forgetPasswords, reloadKeepingTyped } from './reload-keeping-typed.ts'
import { connection } from './live.ts'
import { AlertWatch } from './parts/alert-watch.tsx'
import { Loading } from './parts/loading.tsx'
import { NewerPage } from './parts/newer-page.tsx'
import { SignedOut } from './parts/signed-out.tsx'
import { ServerNews } from './parts/server-news.tsx'
import { Palette } from './parts/palette.tsx'
import { Toasts } from './parts/toasts.tsx'
import { addressOf, place } from './place.ts'
import { SCREENS, type ScreenEntry } from './screens.ts'
import { leave, signIn } from './ask.ts'
import { attempt } from './toasts.ts'

export function App(): JSX.Element {
  useEffect(listenForHotkey, [])
  const now = signIn.value
  if (now.kind === 'entering') return <Loading what="Cordon" />
  if (now.kind === 'out') return <SignedOut notice={now.notice} />
  return (
    <>
      {now.kind === 'ended' && <SignedOut notice={now.notice} hasMore />}
      <Frame isHidden={now.kind === 'ended'} />
    </>
  )
}

/** Hidden and not taken apart while the session has ended: every field keeps what was typed into it. */
function Frame({ isHidden }: { readonly isHidden: boolean }): JSX.Element {
  useEffect(() => {
    if (isHidden) forgetPasswords()
  }, [isHidden])
  return (
    <div class="frame" hidden={isHidden}>
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
        <NewerPage />
        <main id="main" tabIndex={-1}>
          <Suspense fallback={<Loading what="the screen" />}>
            <Screen />
          </Suspense>
        </main>
      </div>
      <Palette />
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
            {id === 'approvals' && <AlertWatch />}
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

/** A screen whose file the kernel does not have, or cannot send now, is tried again when it is opened again. */
async function load({ id, load: read }: ScreenEntry): Promise<ComponentType> {
  return await read().catch(() => {
    loaded.delete(id)
    return NotLoaded
  })
}

function NotLoaded(): JSX.Element {
  return (
    <div class="failure" role="alert">
      <h1>Cannot load this screen</h1>
      <p>Cordon did not answer, or it was updated since this page was loaded.</p>
      <button type="button" onClick={reloadKeepingTyped}>
        Load the page again
      </button>
    </div>
  )
}

function Screen(): JSX.Element {
  const known = SCREENS.find(({ id }) => id === place.value.screen) ?? SCREENS[0]
  if (!known) return <Loading what="the screen" />
  const Shown = loaded.get(known.id) ?? lazy(async () => ({ default: await load(known) }))
  loaded.set(known.id, Shown)
  document.title = known.id === 'home' ? 'Cordon' : `${known.title} · Cordon`
  return <Shown key={known.id} />
}
