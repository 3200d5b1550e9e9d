// What is kept in the browser: studies with their logs, and the files that they compare, in IndexedDB.

const open = new Promise((resolve, reject) => {
  const request = indexedDB.open("rather", 1);
  request.onupgradeneeded = () => request.result.createObjectStore("studies", { keyPath: "id", autoIncrement: true });
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(new Error("this browser does not let the page keep anything; allow site data, or leave the private window"));
});

/** Does something with the table of studies; the result once it is on the disk. */
async function table(mode, work) {
  const transaction = (await open).transaction("studies", mode, { durability: "strict" });
  const request = work(transaction.objectStore("studies"));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request.result);
    transaction.onerror = transaction.onabort = () => reject(new Error(`the browser could not keep this (${transaction.error?.message})`));
  });
}

/** All studies, `{ id, title, question, log, files }`, the last one first. */
export const kept = async () => (await table("readonly", (studies) => studies.getAll())).reverse();

/** The study of a number. */
export const find = (id) => table("readonly", (studies) => studies.get(id));

/** Keeps a study, and returns its number. */
export const keep = (study) => table("readwrite", (studies) => studies.put(study));

/** Removes a study. */
export const remove = (id) => table("readwrite", (studies) => studies.delete(id));
