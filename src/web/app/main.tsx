/** The entry of the page: signs in with the link in the address, then shows the screens and follows the kernel's events. */
import { render } from 'preact'
import { App } from './app.tsx'
import { followEvents } from './live.ts'
import { enterFromAddress, signIn } from './ask.ts'

const root = document.getElementById('app')
if (!root) throw new Error('The page has no element app')
root.replaceChildren()
render(<App />, root)
addEventListener('hashchange', () => void start())
void start()

async function start(): Promise<void> {
  const wasIn = signIn.value.kind === 'in'
  if (wasIn && !location.hash.startsWith('#enter=')) return
  await enterFromAddress()
  if (!wasIn && signIn.value.kind === 'in') await followEvents()
}
