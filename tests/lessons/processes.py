"""Right and wrong answers to the exercises of 16b_processes."""

import jax
import jax.numpy as jnp
import numpy as np

# load_rows


def by_the_first_slice(read, shape, sharding):
    def piece(index):
        rows = index[0]
        return read(rows.start or 0, shape[0] if rows.stop is None else rows.stop)

    return jax.make_array_from_callback(shape, sharding, piece)


def device_by_device(read, shape, sharding):
    pieces = []
    for device, index in sharding.addressable_devices_indices_map(shape).items():
        start, stop, _ = index[0].indices(shape[0])
        pieces.append(jax.device_put(read(start, stop), device))
    return jax.make_array_from_single_device_arrays(shape, sharding, pieces)


def row_by_row(read, shape, sharding):
    def piece(index):
        numbers = range(*index[0].indices(shape[0]))
        return np.concatenate([read(i, i + 1) for i in numbers])

    return jax.make_array_from_callback(shape, sharding, piece)


def all_rows_then_put(read, shape, sharding):
    return jax.device_put(read(0, shape[0]), sharding)


def all_rows_in_the_callback(read, shape, sharding):
    return jax.make_array_from_callback(shape, sharding, lambda index: read(0, shape[0])[index])


def rows_of_the_process(read, shape, sharding):
    count = shape[0] // jax.process_count()
    start = count * jax.process_index()
    return jax.make_array_from_process_local_data(sharding, read(start, start + count), shape)


def pieces_of_the_first_axis(read, shape, sharding):
    step = shape[0] // sharding.mesh.devices.shape[0]
    if sharding.is_fully_replicated:
        step = shape[0]

    def piece(index):
        start, stop, _ = index[0].indices(shape[0])
        first = start // step * step
        return read(first, first + step)[start - first : stop - first]

    return jax.make_array_from_callback(shape, sharding, piece)


def on_one_device(read, shape, sharding):
    step = sharding.shard_shape(shape)[0]
    return jnp.concatenate([read(i, i + step) for i in range(0, shape[0], step)])


def left_on_the_host(read, shape, sharding):
    step = sharding.shard_shape(shape)[0]
    return np.concatenate([read(i, i + step) for i in range(0, shape[0], step)])


def as_floats(read, shape, sharding):
    def piece(index):
        start, stop, _ = index[0].indices(shape[0])
        return read(start, stop).astype("float32")

    return jax.make_array_from_callback(shape, sharding, piece)


def first_piece_everywhere(read, shape, sharding):
    step = sharding.shard_shape(shape)[0]
    return jax.make_array_from_callback(shape, sharding, lambda index: read(0, step))


def slice_handed_on(read, shape, sharding):
    return jax.make_array_from_callback(shape, sharding, lambda index: read(index))


def pieces_alone(read, shape, sharding):
    step = sharding.shard_shape(shape)[0]
    return [read(i, i + step) for i in range(0, shape[0], step)]


# write_log


def early_return(evaluate, write, params, step, process):
    if step % 10:
        return
    line = f"{step} {evaluate(params):.2f}"
    if process == 0:
        write(line)


def writer_chosen_first(evaluate, write, params, step, process):
    put = write if process == 0 else (lambda line: None)
    if not step % 10:
        put(f"{step} {float(evaluate(params)):.2f}")


def by_formatting(evaluate, write, params, step, process):
    if step % 10 == 0:
        loss = evaluate(params)
        if not process:
            write("{} {:.2f}".format(step, loss))  # noqa: UP032  # another style


def two_things_written(evaluate, write, params, step, process):
    if step % 10 == 0:
        loss = evaluate(params)
        if process == 0:
            write(step, f"{loss:.2f}")


def all_in_one_if(evaluate, write, params, step, process):
    if step % 10 == 0 and process == 0:
        write(f"{step} {evaluate(params):.2f}")


def every_process_writes(evaluate, write, params, step, process):
    if step % 10 == 0:
        write(f"{step} {evaluate(params):.2f}")


def the_last_one_writes(evaluate, write, params, step, process):
    if step % 10 == 0:
        loss = evaluate(params)
        if process == 2:
            write(f"{step} {loss:.2f}")


def every_step_evaluated(evaluate, write, params, step, process):
    loss = evaluate(params)
    if step % 10 == 0 and process == 0:
        write(f"{step} {loss:.2f}")


def every_step(evaluate, write, params, step, process):
    loss = evaluate(params)
    if process == 0:
        write(f"{step} {loss:.2f}")


def evaluated_twice_in_one(evaluate, write, params, step, process):
    if step % 10 == 0:
        evaluate(params)
        if process == 0:
            write(f"{step} {evaluate(params):.2f}")


def evaluated_twice(evaluate, write, params, step, process):
    if step % 10 == 0 and evaluate(params) > 0:
        loss = evaluate(params)
        if process == 0:
            write(f"{step} {loss:.2f}")


def every_fifth_step(evaluate, write, params, step, process):
    if step % 5 == 0:
        loss = evaluate(params)
        if process == 0:
            write(f"{step} {loss:.2f}")


def not_at_zero(evaluate, write, params, step, process):
    if step and step % 10 == 0:
        loss = evaluate(params)
        if process == 0:
            write(f"{step} {loss:.2f}")


def all_decimals(evaluate, write, params, step, process):
    if step % 10 == 0:
        loss = evaluate(params)
        if process == 0:
            write(f"{step} {loss}")


def loss_alone(evaluate, write, params, step, process):
    if step % 10 == 0:
        loss = evaluate(params)
        if process == 0:
            write(f"{loss:.2f}")


def others_write_nothing(evaluate, write, params, step, process):
    if step % 10 == 0:
        loss = evaluate(params)
        write(f"{step} {loss:.2f}" if process == 0 else "")


def two_lines(evaluate, write, params, step, process):
    if step % 10 == 0:
        loss = evaluate(params)
        if process == 0:
            write(str(step))
            write(f"{loss:.2f}")


def of_this_process(evaluate, write, params, step, process):
    if step % 10 == 0:
        loss = evaluate(params)
        if jax.process_index() == 0:
            write(f"{step} {loss:.2f}")


def by_turns(evaluate, write, params, step, process):
    if step % 10 == process:
        write(f"{step} {evaluate(params):.2f}")


def in_the_order_of_devices(read, shape, sharding):
    size = sharding.shard_shape(shape)[0]
    parts = [read(i, i + size) for i in range(0, shape[0], size)]
    copies = len(sharding.device_set) // len(parts)
    order = sorted(sharding.device_set, key=lambda d: d.id)
    pieces = [jax.device_put(parts[i // copies], d) for i, d in enumerate(order)]
    return jax.make_array_from_single_device_arrays(shape, sharding, pieces)


def converted(read, shape, sharding, kinds, dtype):
    def piece(index):
        rows = read(*index[0].indices(shape[0])[:2])
        return rows.astype(dtype) if rows.dtype.kind in kinds else rows

    return jax.make_array_from_callback(shape, sharding, piece)


def floats_in_float32(read, shape, sharding):
    return converted(read, shape, sharding, "f", "float32")


def whole_numbers_in_int32(read, shape, sharding):
    return converted(read, shape, sharding, "iu", "int32")


def rows_of_numbers(read, shape, sharding):
    return load_with(lambda rows: np.nan_to_num(rows), read, shape, sharding)


def load_with(change, read, shape, sharding):
    def piece(index):
        return change(read(*index[0].indices(shape[0])[:2]))

    return jax.make_array_from_callback(shape, sharding, piece)


def log_with(text, evaluate, write, params, step, is_writer):
    if step % 10 == 0:
        loss = evaluate(params)
        if is_writer:
            write(text(step, loss))


def two_digits(evaluate, write, params, step, process):
    log_with("{} {:.2g}".format, evaluate, write, params, step, process == 0)


def with_thousands(evaluate, write, params, step, process):
    log_with("{} {:,.2f}".format, evaluate, write, params, step, process == 0)


def sizes_of_losses(evaluate, write, params, step, process):
    line = lambda step, loss: f"{step} {abs(loss):.2f}"  # noqa: E731  # as people write it
    log_with(line, evaluate, write, params, step, process == 0)


def every_eighth_process(evaluate, write, params, step, process):
    log_with("{} {:.2f}".format, evaluate, write, params, step, process % 8 == 0)


def for_a_thousand_steps(evaluate, write, params, step, process):
    if step < 1000:
        log_with("{} {:.2f}".format, evaluate, write, params, step, process == 0)


def by_the_last_digit(evaluate, write, params, step, process):
    if str(step).endswith("0"):
        log_with("{} {:.2f}".format, evaluate, write, params, step, not process)


RIGHT = {
    "load_rows": [by_the_first_slice, device_by_device, row_by_row],
    "write_log": [early_return, writer_chosen_first, by_formatting, by_the_last_digit],
}
WRONG = {
    "load_rows": {
        "devices/read-at-once": [
            all_rows_then_put,
            all_rows_in_the_callback,
            rows_of_the_process,
            pieces_of_the_first_axis,
        ],
        "arrays/not-moved": [left_on_the_host],
        "devices/split": [on_one_device],
        "value/differs": [first_piece_everywhere, in_the_order_of_devices, rows_of_numbers],
        "value/dtype": [as_floats, floats_in_float32, whole_numbers_in_int32],
        "value/structure": [pieces_alone],
        "runs/raised": [slice_handed_on],
    },
    "write_log": {
        "devices/calls-differ": [all_in_one_if, evaluated_twice_in_one, by_turns],
        "value/differs": [
            every_process_writes,
            every_step_evaluated,
            the_last_one_writes,
            every_step,
            evaluated_twice,
            not_at_zero,
            every_fifth_step,
            all_decimals,
            loss_alone,
            others_write_nothing,
            two_lines,
            of_this_process,
            two_digits,
            with_thousands,
            sizes_of_losses,
            every_eighth_process,
            for_a_thousand_steps,
        ],
        "runs/raised": [two_things_written],
    },
}
