/**
 * Follows the kernel to its next version: a page that was loaded from the kernel before loads itself again, at once where
 * nothing would be lost by that, and otherwise when the person says so. Typed text is carried over.
 */
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { servedPage } from '../ask.ts'
import { hasTyped, reloadKeepingTyped } from '../reload-keeping-typed.ts'
import { entries } from '../say.ts'

const OWN = document.querySelector<HTMLMetaElement>('meta[name="cordon-page"]')?.content
const TRIED = 'cordon-page-tried'

/** Whether the kernel that answers serves another page than this one. */
export function isOldPage(): boolean {
  return servedPage.value !== undefined && OWN !== undefined && servedPage.value !== OWN
}

export function NewerPage(): JSX.Element | null {
  const isOld = isOldPage()
  const served = servedPage.value ?? ''
  useEffect(() => {
    if (!isOld || hasTyped() || entries.peek().length > 0) return
    // Once for each version: something between kernel and browser that keeps an old page must not make it spin.
    if (sessionStorage.getItem(TRIED) === served) return
    sessionStorage.setItem(TRIED, served)
    reloadKeepingTyped()
  }, [isOld, served])
  if (!isOld) return null
  return (
    <p class="away" role="alert">
      Cordon was updated, and this page is still that of the version before.{' '}
      <button type="button" onClick={reloadKeepingTyped}>
        Load the new page
      </button>{' '}
      What you typed stays.
    </p>
  )
}
