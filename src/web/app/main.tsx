/** The entry of the page: signs in with the link in the address, then shows the screens and follows the kernel's events. */
import { render } from 'preact'
import { App } from './app.tsx'
import { restoreTyped, watchTyping } from './reload-keeping-typed.ts'
import { followEvents } from './live.ts'
import { enterFromAddress, followOtherTabs, signIn } from './ask.ts'

const root = document.getElementById('app')
if (!root) throw new Error('The page has no element app')
root.replaceChildren()
watchTyping()
restoreTyped()
render(<App />, root)
// Any other fragment names a screen: asked for while a link is being taken, it must not look like a failed sign-in.
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#enter=')) void start()
})
followOtherTabs(() => void start())
void start()

async function start(): Promise<void> {
  const wasIn = signIn.value.kind === 'in'
  await enterFromAddress()
  if (!wasIn && signIn.value.kind === 'in') await followEvents()
}
