/** Sessions for tests and pictures, written for them: nothing here comes from anybody's machine. */

/** A red square and a green one, 24 by 16 pixels. */
const image =
  "iVBORw0KGgoAAAANSUhEUgAAABgAAAAQCAIAAACDRijCAAAAKElEQVR42mP4z8BAEvr///9/BgYGBgZSdI5qGtU0qmlU06imUU2DXxMAZ5tH4U5wyWkAAAAASUVORK5CYII="

export const tool = (id: string, name: string, input: object): object => ({ type: "tool_use", id, name, input })
export const answer = (id: string, content: unknown, isError = false): object => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...(isError && { is_error: true }),
})
export const user = (...content: readonly unknown[]): object => ({ role: "user", content })
export const assistant = (...content: readonly unknown[]): object => ({ role: "assistant", content })
export const text = (value: string): object => ({ type: "text", text: value })

const log = Array.from({ length: 120 }, (_, line) => `  ✓ cart › case ${line + 1} (${(line * 7) % 23} ms)`).join("\n")

/** A request of an agent that was interrupted, went on, and lost a pair: findings of several rules. */
export const damagedRequest = {
  model: "claude-sonnet-4-5",
  max_tokens: 8192,
  system: "You are a careful engineer. Run the tests before you say that something works.",
  messages: [
    user(text("The checkout total is wrong when a coupon and free shipping meet. Please find out why, and fix it.")),
    assistant(
      {
        type: "thinking",
        thinking: "The discount is probably applied to the sum with shipping. Look at the cart first.",
        signature: "EqQBCgIYAhIM",
      },
      text("I'll look at how the total is computed, and run the tests to see what fails."),
      tool("toolu_01", "Grep", { pattern: "applyCoupon", path: "src", output_mode: "files_with_matches" }),
      tool("toolu_02", "Bash", { command: "npm test -- cart", description: "Run the cart tests" }),
    ),
    user(
      answer("toolu_01", "src/cart/total.ts\nsrc/cart/coupon.ts\ntest/cart.test.ts"),
      answer(
        "toolu_02",
        `FAIL test/cart.test.ts > total > coupon with free shipping\nAssertionError: expected 4050 to equal 4000\n\n${log}`,
        true,
      ),
    ),
    assistant(
      text(
        [
          "Found it. Two things come together:",
          "",
          "1. `applyCoupon` takes its share of the sum **with** shipping,",
          "2. free shipping is subtracted afterwards.",
          "",
          "| order | total |",
          "|---|---:|",
          "| coupon, then shipping | 40.50 |",
          "| shipping, then coupon | **40.00** |",
          "",
          "```ts",
          "const total = applyCoupon(items + shipping) - freeShipping",
          "```",
        ].join("\n"),
      ),
      tool("toolu_03", "Edit", {
        file_path: "src/cart/total.ts",
        old_string:
          "export const total = (cart: Cart): number => {\n  const sum = itemsOf(cart) + cart.shipping\n  return applyCoupon(sum, cart.coupon) - freeShipping(cart)\n}",
        new_string:
          "export const total = (cart: Cart): number => {\n  const shipping = cart.shipping - freeShipping(cart)\n  return applyCoupon(itemsOf(cart), cart.coupon) + shipping\n}",
      }),
    ),
    user(answer("toolu_03", "The file src/cart/total.ts has been updated.")),
    assistant(tool("toolu_04", "Bash", { command: "npm test -- cart" }), tool("toolu_05", "Screenshot", { page: "/checkout" })),
    user(
      answer("toolu_04", log),
      answer("toolu_05", [
        { type: "text", text: "The checkout page" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: image } },
      ]),
    ),
    assistant(text("All cart tests pass now. I'll update the dependencies next, so that the rounding fix of the money library is in.")),
    user(text("Yes, please. And deploy to staging afterwards.")),
    assistant(text("Installing."), tool("toolu_06", "Bash", { command: "npm install money@5 && npm run build" })),
    user(text("Did it work? My laptop went to sleep.")),
    assistant(text("Let me see what is installed."), tool("toolu_07", "Bash", { command: "npm ls money" })),
    user(answer("toolu_07", "shop@1.4.0\n└── money@5.0.2"), answer("toolu_99", "Deployed to https://staging.example.test")),
    assistant(text("`money@5.0.2` is installed. Shall I deploy to staging?")),
    user(text("Go ahead.")),
  ],
}

/** A long session: `exchanges` calls with a result each, in turns. */
export const longRequest = (exchanges: number, resultCharacters = 300): object => {
  const messages: object[] = []
  for (let index = 0; index < exchanges; index++) {
    if (index % 10 === 0) messages.push(user(text(`Please look at module ${index / 10} and tell me what needle${index} does.`)))
    const id = `toolu_${index}`
    messages.push(
      assistant(text(`Reading file ${index}.`), tool(id, index % 3 === 0 ? "Read" : "Bash", { path: `src/module-${index}.ts` })),
      user(answer(id, `line ${index}\n${"all is well here, nothing to see. ".repeat(Math.ceil(resultCharacters / 34))}`, index % 17 === 0)),
    )
    if (index % 10 === 9) messages.push(assistant(text(`Module ${(index - 9) / 10} is fine.`)))
  }
  if (exchanges % 10 !== 0) messages.push(assistant(text("Done.")))
  return { model: "claude-sonnet-4-5", max_tokens: 1024, messages }
}

/** Everything that a transcript could try against the page that shows it. */
export const hostileRequest = {
  model: "claude-sonnet-4-5",
  max_tokens: 1024,
  messages: [
    user(
      text(
        '<script>alert("script")</script><img src=x onerror=alert(1)> <a href="javascript:alert(2)">click</a> <style>*{display:none}</style>',
      ),
    ),
    assistant(
      text(
        "[a link](javascript:alert(3)) ![a picture](http://evil.example.test/pixel.png) [another](https://evil.example.test)\n\n<iframe src=http://evil.example.test></iframe>\n\n```html\n<script>alert(4)</script>\n```\n\u202Edesrever\u202C \u0007\u001b[31mred\u001b[0m zero\u200bwidth",
      ),
      tool("toolu_h1", "<b>Bash</b>\u202E", {
        command: "\u001b]0;title\u0007 echo '</pre><script>alert(5)</script>'",
        __proto__x: "<svg onload=alert(6)>",
      }),
      tool("toolu_h2", "Write", { path: "x", old_string: "<script>", new_string: "</script><script>alert(7)</script>" }),
    ),
    user(
      answer("toolu_h1", "</pre></div><script>alert(8)</script>\u202E\u2066 \u001b[2J"),
      answer("toolu_h2", [
        { type: "text", text: "ok" },
        {
          type: "image",
          source: {
            type: "base64",
            media_type: "image/svg+xml",
            data: btoa("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(9)'/>"),
          },
        },
        { type: "image", source: { type: "url", url: "http://evil.example.test/track.png" } },
      ]),
    ),
    assistant(
      text("`".repeat(20_000)),
      text("*_".repeat(50_000)),
      text("[".repeat(50_000)),
      text(`${"> ".repeat(5_000)}deep`),
      text(`${"- ".repeat(5_000)}deep`),
    ),
    user(text(`A line of five megabytes: ${"x".repeat(5_000_000)}`)),
  ],
}
