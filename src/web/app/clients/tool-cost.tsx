/** The price of the list of tools, in estimated tokens of a program's model, by server, and what searching saves. */
import type { JSX } from 'preact'
import { useLive } from '../live.ts'
import { Card, plural, Shown } from '../parts/basics.tsx'

export function ToolCost(): JSX.Element {
  const live = useLive('contexts.cost', {}, ['servers', 'clients'])
  return (
    <Card title="What the list of tools costs">
      <Shown live={live} what="the cost">
        {({ servers, tools, tokens, searchTokens }) => (
          <>
            <p>
              {plural(tools, 'tool')}, about {tokens.toLocaleString('en')} tokens in every
              conversation of a program that is listed all of them. One that searches instead reads
              about {searchTokens.toLocaleString('en')}; a program that takes less than the whole
              list searches by itself.
            </p>
            <ul class="rows">
              {servers.map(({ server, tools: own, tokens: price }) => (
                <li key={server}>
                  <strong>{server}</strong> {plural(own, 'tool')}, {price.toLocaleString('en')}{' '}
                  tokens
                </li>
              ))}
            </ul>
          </>
        )}
      </Shown>
    </Card>
  )
}
