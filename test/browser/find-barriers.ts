/** Runs axe-core on the page as it is shown now, and names its serious and critical findings. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface Finding {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

export async function findBarriers(page: Page): Promise<readonly string[]> {
  // Evaluated by the debugger: the policy of the page would refuse it as a script element.
  await page.evaluate(`${axe.source}; undefined`)
  const found = (await page.evaluate(
    `axe.run(document, { preload: false, resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  )) as readonly Finding[]
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    )
}
