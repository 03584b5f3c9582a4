import type { DatabaseSync } from "node:sqlite";
import type { BlobWrite } from "../../engine/store.ts";

/** Bytes of one row of a blob: a reader gets at them piece by piece. */
const ROW_BYTES = 262_144;

/** A row of a blob has the id `blob << ROW_BITS | n`. */
const ROW_BITS = 20;

/** Large parts in the file. */
export interface BlobRows {
  /** Writes a blob unless its owner has it already. Only inside a transaction. */
  keep(blob: BlobWrite): void;
  /** Gives where a blob is, undefined when this owner has none with that hash. */
  find(tenant: string, owner: string, sha256: string): { readonly id: number; readonly length: number } | undefined;
  /** Gives the n-th row of a blob, undefined behind its end. */
  row(id: number, n: number): Uint8Array | undefined;
}

/** Makes the rows of a connection. */
export function createBlobRows(db: DatabaseSync): BlobRows {
  const select = db.prepare("SELECT id, length FROM blobs WHERE tenant = ? AND owner = ? AND sha256 = ?");
  const insert = db.prepare("INSERT INTO blobs (tenant, owner, sha256, length) VALUES (?, ?, ?, ?) RETURNING id");
  const insertRow = db.prepare(`INSERT INTO blob_rows (id, bytes) VALUES ((?1 << ${ROW_BITS}) | ?2, ?3)`);
  const selectRow = db.prepare(`SELECT bytes FROM blob_rows WHERE id = (?1 << ${ROW_BITS}) | ?2`);

  const find = (tenant: string, owner: string, sha256: string) =>
    select.get(tenant, owner, Buffer.from(sha256, "hex")) as { id: number; length: number } | undefined;
  return {
    find,
    keep: ({ tenant, owner, sha256, bytes }) => {
      if (find(tenant, owner, sha256) !== undefined) return;
      const id = Number(insert.get(tenant, owner, Buffer.from(sha256, "hex"), bytes.length)?.["id"]);
      for (let n = 0; n * ROW_BYTES < bytes.length; n += 1) {
        insertRow.run(id, n, bytes.subarray(n * ROW_BYTES, (n + 1) * ROW_BYTES));
      }
    },
    row: (id, n) => selectRow.get(id, n)?.["bytes"] as Uint8Array | undefined,
  };
}
