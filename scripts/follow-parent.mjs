// npm passes SIGTERM to the shell that runs a script, and the shell dies without a word to the script. A script that is
// left behind like that would hold its port for ever: it sends the signal to itself when it gets another parent.

const everyMs = 200;

if (process.env.npm_lifecycle_event !== undefined) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    // Once: a second signal may mean "at once" to the program.
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, everyMs).unref();
}
