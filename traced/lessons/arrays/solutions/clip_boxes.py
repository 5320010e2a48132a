"""A solution of `clip_boxes`."""


def clip_boxes(boxes, width, height):
    boxes = boxes.at[:, [0, 2]].set(boxes[:, [0, 2]].clip(0, width))
    return boxes.at[:, [1, 3]].set(boxes[:, [1, 3]].clip(0, height))
