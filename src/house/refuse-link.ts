/** The answer to a wish for a link to the page, where no page is served. */
import { CordonError } from '../kernel/error.ts'

export function refuseLink(): never {
  throw new CordonError(
    'main.no-page',
    { exit: 5, hint: 'Run `cordon up`, then `cordon open`' },
    'Cannot make a link: this process serves no page',
  )
}
