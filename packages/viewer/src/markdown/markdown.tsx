/** Markdown as elements of the page. Links are not followed: their words and their address are shown. */
import type { ComponentChildren } from "preact"
import { visible } from "../words.ts"
import { type Inline, type MarkdownBlock, parseMarkdown } from "./parse.ts"

const inline = (children: readonly Inline[]): ComponentChildren =>
  children.map((each) => {
    switch (each.type) {
      case "text":
        return visible(each.text)
      case "code":
        return <code>{visible(each.text)}</code>
      case "strong":
        return <strong>{inline(each.children)}</strong>
      case "emphasis":
        return <em>{inline(each.children)}</em>
      case "struck":
        return <s>{inline(each.children)}</s>
      case "link":
        return (
          <span class="link">
            {visible(each.text)}
            {each.address !== "" && each.address !== each.text && <span class="link-address"> {visible(each.address)}</span>}
          </span>
        )
    }
  })

const block = (each: MarkdownBlock): ComponentChildren => {
  switch (each.type) {
    case "heading":
      // A transcript has no say in the outline of the page.
      return <p class={`heading heading-${Math.min(each.level, 4)}`}>{inline(each.children)}</p>
    case "paragraph":
      return <p>{inline(each.children)}</p>
    case "code":
      return (
        <pre class="code" tabIndex={0}>
          {visible(each.text)}
        </pre>
      )
    case "quote":
      return <blockquote>{each.children.map(block)}</blockquote>
    case "rule":
      return <hr />
    case "list": {
      const items = each.items.map((item) => {
        const [only] = item
        return <li>{item.length === 1 && only?.type === "paragraph" ? inline(only.children) : item.map(block)}</li>
      })
      return each.ordered ? <ol start={each.start}>{items}</ol> : <ul>{items}</ul>
    }
    case "table":
      return (
        <div class="table" tabIndex={0}>
          <table>
            <thead>
              <tr>
                {each.head.map((cell) => (
                  <th scope="col">{inline(cell)}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {each.rows.map((row) => (
                <tr>
                  {row.map((cell) => (
                    <td>{inline(cell)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )
  }
}

export const Markdown = ({ text }: { readonly text: string }) => <div class="markdown">{parseMarkdown(text).map(block)}</div>
