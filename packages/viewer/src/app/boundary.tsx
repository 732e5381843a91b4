/** What fails while it is drawn is said in its place; the rest of the page goes on. */
import { Component, type ComponentChildren } from "preact"
import { phrase } from "../words.ts"

interface BoundaryProperties {
  readonly children: ComponentChildren
}

export class Boundary extends Component<BoundaryProperties, { readonly failure?: string }> {
  override componentDidCatch(error: unknown): void {
    this.setState({ failure: error instanceof Error ? error.message : String(error) })
  }

  override render({ children }: BoundaryProperties, { failure }: { readonly failure?: string }): ComponentChildren {
    if (failure === undefined) return children
    return (
      <div class="failed" role="alert">
        <p>{phrase`This cannot be shown here.`}</p>
        <p class="quiet">{failure}</p>
      </div>
    )
  }
}
