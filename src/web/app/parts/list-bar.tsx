/** The bar below a list: `-` deletes the selected row, `+` adds one, `Edit` opens the selected one. */
import type { JSX } from 'preact'

export interface BarProps {
  /** `profile`, `MCP`: for the names of the buttons. */
  readonly what: string
  readonly selected: string | undefined
  /** The address of the screen that adds one. */
  readonly add: string
  /** The address of the screen that edits the selected one. */
  readonly edit: string
  readonly onDelete: () => void
}

export function ListBar({ what, selected, add, edit, onDelete }: BarProps): JSX.Element {
  const isNone = selected === undefined
  return (
    <p class="list-bar">
      <button
        type="button"
        class="quiet"
        aria-label={`Delete the selected ${what}`}
        disabled={isNone}
        onClick={onDelete}
      >
        -
      </button>
      <a class="button quiet" aria-label={`Add a new ${what}`} href={add}>
        +
      </a>
      {isNone ? (
        <button type="button" class="quiet" disabled>
          Edit
        </button>
      ) : (
        <a class="button quiet" href={edit}>
          Edit
        </a>
      )}
    </p>
  )
}
