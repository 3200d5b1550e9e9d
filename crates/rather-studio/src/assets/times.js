// Times in the reader's own zone; without scripts they stand in UTC.

const two = (n) => String(n).padStart(2, "0");

function localise() {
  for (const element of document.querySelectorAll("time[datetime]")) {
    const time = new Date(element.dateTime);
    if (Number.isNaN(time.getTime())) continue;
    const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
    element.textContent = `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
  }
}

document.addEventListener("renewed", localise);
localise();
