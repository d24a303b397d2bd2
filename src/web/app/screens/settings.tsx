/** Settings: the profiles, the servers, and the shortcut; or the form of one of them, by the address of the screen. */
import type { JSX } from 'preact'
import { ask } from '../ask.ts'
import { combinationOf, hotkey, setHotkey } from '../hotkey.ts'
import { offeredModels } from '../offered-models.ts'
import { plural } from '../parts/basics.tsx'
import { McpList } from '../parts/mcp-list.tsx'
import { ProfileList } from '../parts/profile-list.tsx'
import { addressOf, place } from '../place.ts'
import { attempt, settle, tellDone, tellFailed } from '../toasts.ts'
import { Configure } from './configure.tsx'
import { ProfileForm } from './profile-form.tsx'

export function Settings(): JSX.Element {
  const [what, which, name] = place.value.rest
  if (what === 'profile' && which === 'add') return <ProfileForm />
  if (what === 'profile' && name !== undefined) return <ProfileForm key={name} edited={name} />
  if (what === 'mcp' && which !== undefined) return <Configure key={which} server={which} />
  return <Overview />
}

function Overview(): JSX.Element {
  return (
    <>
      <div class="card-head">
        <h1>
          <a class="back" href={addressOf('home')} aria-label="Back to Home">
            &lt;
          </a>{' '}
          Settings
        </h1>
        <button type="button" class="quiet" onClick={refreshModels}>
          Refresh Models
        </button>
      </div>
      <ProfileList />
      <McpList />
      <Hotkey />
    </>
  )
}

function refreshModels(): void {
  void attempt(async () => {
    const answer = await ask('profiles.refresh', {})
    offeredModels.value = answer.offered
    for (const { profile, models, problem } of answer.offered) {
      settle(`models of ${profile}`)
      if (problem === undefined) tellDone(`${profile}: ${plural(models.length, 'model')}`)
      else tellFailed(`${profile}: ${problem}.`, { about: `models of ${profile}` })
    }
  })
}

function Hotkey(): JSX.Element {
  return (
    <section class="card" aria-label="Hotkey">
      <label class="hotkey" for="hotkey">
        Global Hotkey:
        <input
          id="hotkey"
          type="text"
          readOnly
          value={hotkey.value}
          aria-describedby="hotkey-hint"
          onKeyDown={(event) => {
            const pressed = combinationOf(event)
            if (pressed === undefined) return
            event.preventDefault()
            setHotkey(pressed)
          }}
        />
      </label>
      <p id="hotkey-hint" class="muted">
        Opens the chat from any screen of this page; press another combination here to change it.
        For a shortcut of the whole desktop, let your desktop run <code>cordon open</code>.
      </p>
    </section>
  )
}
