import { createHash } from "node:crypto"
import { expect, it } from "vitest"
import { projectHash, projectName } from "../../../src/sessions/gemini-cli/project.ts"

it("the hash of a project is the SHA-256 of its folder, whatever its length", () => {
  for (const folder of ["", "/home/me/shop", "ü".repeat(60), ...[55, 56, 63, 64, 65, 119, 120].map((length) => "x".repeat(length))]) {
    expect(projectHash(folder)).toBe(createHash("sha256").update(folder).digest("hex"))
  }
})

it("the name of a project is that of its folder, in small letters, digits and hyphens", () => {
  expect(["/home/me/My Shop_2/", "/", "/srv/été", "C:\\work\\App"].map(projectName)).toEqual(["my-shop-2", "project", "t", "app"])
})
